import assert from 'node:assert';
import type { z } from 'zod';
import type { Asks, Means } from '../../shared/asks.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { ReceivedBody } from './received-body.ts';

/** The reason for which a call's signal aborted: the client is gone. */
export class HungUp extends Error {
  constructor() {
    super('the client hung up');
  }
}

/**
 * The reason for which a call's signal aborted: the gateway shuts down. Held payments then answer 303 and long polls
 * 202 (B69); a handler that does not catch this answers 503.
 */
export class ShuttingDown extends ApiError {
  constructor() {
    super('unavailable', { message: 'The gateway is shutting down', headers: { 'Retry-After': '1' } });
  }
}

/** The caller, according to its bearer token (B112). */
export interface Caller {
  readonly tokenId: string;
  readonly accountId: string;
  readonly environment: 'sandbox' | 'production';
}

/** The contents of a body that came in an envelope. */
export interface OpenedBody {
  readonly caller: Caller;
  readonly body: ReceivedBody;
  /** Puts the text of an answer with status 200 into an envelope for the body's caller. */
  seal(text: string): string;
}

/** A request in the form that a handler gets: everything is parsed and checked. */
export interface CheckedRequest<Params, Query, Headers, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as it came, including the fields that no schema knows. */
  readonly json: unknown;
  /** Dotted paths of the body's fields that no schema knows (B29). */
  readonly unknownFields: readonly string[];
  /** The caller; set on endpoints guarded by an API token. */
  readonly caller: Caller;
  readonly requestId: string;
  /**
   * True if the request comes from a browser that signed in to the console: it may do what the control token allows,
   * except to the whole gateway (B293).
   */
  readonly fromConsole: boolean;
  /** When the request arrived, on the monotonic clock. The time for which it may be held counts from then (B42). */
  readonly arrivedAt: number;
  /**
   * Aborts when the client hangs up or the gateway shuts down; its reason is a {@link HungUp} or {@link ShuttingDown}.
   */
  readonly signal: AbortSignal;
  /**
   * Call this before waiting for a person, a terminal or a timer, and call the returned function when going on (virtual
   * time). With `limitMs` the request waits for time, at most for that long; `fails` says that it fails when that time
   * is over.
   */
  park(limitMs?: number, fails?: boolean): () => void;
  /**
   * Call this when all checks are done, before waiting for a person. From then on white space is sent at intervals, for
   * clients that take silence for a broken connection. A later error is answered with status 200.
   */
  keepAwake(): void;
  /** Breaks the connection, because a test has set that: the client gets no answer. */
  cut(): void;
}

/** The output of a live stream. */
export interface StreamOutput {
  /**
   * Writes to the stream. Gives false while the client reads too slowly; a client that reads too slowly for long is cut
   * off.
   */
  write(chunk: string | Uint8Array): boolean;
  /** Resolves when the client has read what was waiting, or is gone. */
  drained(): Promise<void>;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Sent as it is, instead of `body` as JSON; if it is not JSON, `headers` contain its content type. */
  text?: string;
  headers?: Record<string, string>;
  /** The payment whose outcome the answer contains. */
  outcomeOf?: string;
  /** The meaning of the answer, if its API is not the payments API. */
  means?: Means;
  /** JSON text in pieces, instead of `body`: each piece is made when the client has read the one before it. */
  pieces?: Iterable<string>;
  /** Takes over the connection for a live stream. Resolves when the stream is over. */
  stream?: (output: StreamOutput, signal: AbortSignal) => Promise<void>;
}

export interface ResponseDescription {
  description: string;
  schema?: z.ZodType;
  /** The description of each header, by its name. */
  headers?: Record<string, string>;
  contentType?: string;
  /** Other forms in which the same answer can be requested: an example for each content type. */
  alsoAs?: Record<string, string>;
  examples?: Record<string, unknown>;
}

/** Describes a response with JSON: in words, by its schema, and by named examples. */
export function shows(
  description: string,
  schema: z.ZodType,
  examples: Record<string, unknown>,
): ResponseDescription {
  return { description, schema, examples };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Fields = z.ZodObject | undefined;
type Parsed<T extends z.ZodType | undefined> = T extends z.ZodType ? z.output<T> : undefined;

/**
 * One operation of the HTTP interface, described once: the same schemas validate the request and generate the
 * OpenAPI document.
 */
interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Headers extends Fields = Fields,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> {
  /** Method and path, the path as OpenAPI writes it: POST /terminals/{terminalId}/payment-request */
  route: `${Uppercase<Method>} /${string}`;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * Which callers the endpoint admits. `token`: those with an API token; `control`: those with the control token;
   * `open`: all.
   */
  guard: 'token' | 'control' | 'open';
  /**
   * Called before everything else, even before the method is checked. It throws if the caller must not learn that the
   * path exists, or calls too often. `fromLoopback`: the request was made on this machine, and no proxy passed it on.
   */
  admits?(asked: { params: Readonly<Record<string, unknown>>; fromLoopback: boolean }): void;
  /** Answers 501 notImplemented to production tokens (B6). */
  sandboxOnly?: boolean;
  /** False keeps the endpoint out of the OpenAPI document: parts of a page are not an interface. */
  documented?: boolean;
  /**
   * How much of a call the journal keeps: everything; everything but its bodies, which contain secrets or card numbers;
   * or nothing, because the calls of a reader of the journal would fill it. The default is all.
   */
  journaled?: 'all' | 'withoutBodies' | 'nothing';
  params?: Params;
  query?: Query;
  /** The schema of the headers, with names in lower case. */
  headers?: Headers;
  body?: Body;
  /**
   * The form of the body: `json` when absent; `form` is what a browser's form sends, with text in all fields; `anyText`
   * is JSON if the body can be read as such, and otherwise the text itself.
   */
  bodyType?: 'json' | 'form' | 'anyText';
  /** The largest body that the endpoint accepts, in bytes, if that is less than usual (B119). */
  largestBody?: number;
  /** True if the body may be left out. */
  bodyOptional?: boolean;
  bodyExamples?: Record<string, unknown>;
  /** Opens a body that names its caller, so that no token is needed. */
  opens?(body: ReceivedBody): Promise<OpenedBody>;
  /** Gives the purpose of a request with this body, for the journal, if its API is not the payments API. */
  asks?(body: unknown): Asks;
  /**
   * True if the handler itself makes sure that it answers in time. For other endpoints with a token the router does
   * that (B68).
   */
  holds?: true;
  responses: Record<number, ResponseDescription>;
  /** Error codes besides those that every endpoint with the same guard can answer. */
  errors?: readonly ErrorCode[];
}

/**
 * The work of an endpoint: `gives` returns the body of its only response, if that has one; `handle` returns the
 * complete answer.
 */
type Handling<Call> =
  | { gives(call: Call): unknown; handle?: never }
  | { handle(call: Call): Promise<Answer>; gives?: never };

/**
 * Makes from a description what the router and the OpenAPI document read; within its handler the types of the schemas
 * are known.
 */
export function endpoint<
  Params extends Fields = undefined,
  Query extends Fields = undefined,
  Headers extends Fields = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  description: Endpoint<Params, Query, Headers, Body> &
    Handling<CheckedRequest<Parsed<Params>, Parsed<Query>, Parsed<Headers>, Parsed<Body>>>,
): AnyEndpoint {
  const { route, gives, handle = answersWith(description), ...described } = description;
  const [method, path] = route.split(' ');
  return { ...described, handle, method: method?.toLowerCase(), path } as unknown as AnyEndpoint;
}

/** Makes endpoints of a resource, which have these facts in common. */
export function endpointWith(
  common: Pick<Endpoint, 'tag' | 'guard' | 'journaled' | 'documented' | 'sandboxOnly' | 'holds'>,
) {
  return <
    Params extends Fields = undefined,
    Query extends Fields = undefined,
    Headers extends Fields = undefined,
    Body extends z.ZodType | undefined = undefined,
  >(
    description: Omit<Endpoint<Params, Query, Headers, Body>, 'tag' | 'guard'> &
      Handling<CheckedRequest<Parsed<Params>, Parsed<Query>, Parsed<Headers>, Parsed<Body>>>,
  ): AnyEndpoint => endpoint<Params, Query, Headers, Body>({ ...common, ...description });
}

/** Makes the handler of an endpoint that only returns a body. */
function answersWith<Call>({
  operationId,
  responses,
  gives,
}: Pick<Endpoint, 'operationId' | 'responses'> & Handling<Call>): (call: Call) => Promise<Answer> {
  const [status, ...others] = Object.keys(responses).map(Number);
  assert(
    status !== undefined && others.length === 0,
    `${operationId} must say which of its responses it gives`,
  );
  return async (call) => {
    const body = await gives?.(call);
    return status === 204 ? { status } : { status, body };
  };
}

/** A call to any endpoint. */
export type AnyCall = CheckedRequest<unknown, unknown, unknown, unknown>;

/** An endpoint in a list: the types of its parsed values are erased; the server parses before it calls the handler. */
export type AnyEndpoint = Omit<Endpoint, 'route'> & {
  method: Method;
  path: string;
  handle(call: AnyCall): Promise<Answer>;
};
