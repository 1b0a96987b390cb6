import assert from 'node:assert';
import type { z } from 'zod';
import type { AnswerMeaning, RequestPurpose } from '../../shared/dialect-meaning.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { ReceivedBody } from './received-body.ts';

/** The abort reason of a call's signal if the client has hung up. */
export class HungUp extends Error {
  constructor() {
    super('the client hung up');
  }
}

/**
 * The abort reason of a call's signal if the gateway shuts down. Held payments are then answered with 303 and long
 * polls with 202 (B69). A handler that does not catch this error is answered with 503.
 */
export class ShuttingDown extends ApiError {
  constructor() {
    super('unavailable', { message: 'The gateway is shutting down', headers: { 'Retry-After': '1' } });
  }
}

/** The caller to whom the bearer token belongs (B112). */
export interface Caller {
  readonly tokenId: string;
  readonly accountId: string;
  readonly environment: 'sandbox' | 'production';
}

/** A decrypted body, and its caller. */
export interface DecryptedBody {
  readonly caller: Caller;
  readonly body: ReceivedBody;
  /** Encrypts the text of an answer with status 200 for the body's caller. */
  seal(text: string): string;
}

/** A request as a handler gets it: all its parts are parsed and checked. */
export interface CheckedRequest<Params, Query, Headers, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as the client sent it, including the fields that no schema has. */
  readonly json: unknown;
  /** The paths of the body's fields that no schema has (B29), for example `gratuity.extra`. */
  readonly unknownFields: readonly string[];
  /** The caller. It is set only on endpoints that require an API token. */
  readonly caller: Caller;
  readonly requestId: string;
  /**
   * Whether the request comes from a browser that has signed in to the console. It may do what the control token
   * allows, except what affects the whole gateway (B293).
   */
  readonly fromConsole: boolean;
  /**
   * The time at which the request arrived, on the monotonic clock. The time limit for holding the request runs from
   * then (B42).
   */
  readonly arrivedAt: number;
  /**
   * Aborts if the client hangs up or the gateway shuts down. The reason is a {@link HungUp} or {@link ShuttingDown}.
   */
  readonly signal: AbortSignal;
  /**
   * Call this before a wait for a person, a terminal or a timer, and call the returned function after the wait. Virtual
   * time may move during the wait. `limitMs` is the maximum time of the wait. If `fails` is true, the request fails
   * when that time is over.
   */
  park(limitMs?: number, fails?: boolean): () => void;
  /**
   * Call this when all checks are done, before a wait for a person. From then on white space is sent at intervals,
   * because some clients take silence for a broken connection. A later error is sent with status 200.
   */
  keepAwake(): void;
  /** Breaks the connection so that the client gets no answer. It is called only if a test has set this. */
  cut(): void;
}

/** The client's end of a live stream. */
export interface StreamOutput {
  /**
   * Writes to the stream. Returns false while the client reads too slowly. A client that stays too slow for long is cut
   * off.
   */
  write(chunk: string | Uint8Array): boolean;
  /** Resolves when the client has read everything that was waiting, or has hung up. */
  drained(): Promise<void>;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** The body as text, sent instead of `body`. If it is not JSON, `headers` contain its content type. */
  text?: string;
  headers?: Record<string, string>;
  /** The payment whose outcome the answer contains. */
  outcomeOf?: string;
  /** The meaning of the answer, for the journal. It is set only in APIs of other vendors. */
  means?: AnswerMeaning;
  /**
   * The body as JSON text in pieces, sent instead of `body`. Each piece is made when the client has read the one
   * before.
   */
  pieces?: Iterable<string>;
  /** Writes a live stream to the client. Resolves when the stream is over. */
  stream?: (output: StreamOutput, signal: AbortSignal) => Promise<void>;
}

export interface ResponseDescription {
  description: string;
  schema?: z.ZodType;
  /** The description of each header, by its name. */
  headers?: Record<string, string>;
  contentType?: string;
  /** Other content types in which the answer can be requested, each with an example. */
  alsoAs?: Record<string, string>;
  examples?: Record<string, unknown>;
}

/** Describes a response with JSON: by a sentence, a schema and named examples. */
export function describeResponse(
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
 * One operation of the HTTP interface. It is described once: its schemas validate requests, and the OpenAPI document is
 * made from them.
 */
interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Headers extends Fields = Fields,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> {
  /** The method and the path, as OpenAPI writes the path: POST /terminals/{terminalId}/payment-request */
  route: `${Uppercase<Method>} /${string}`;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * Which callers may call the endpoint. `token`: those with an API token. `control`: those with the control token.
   * `open`: all.
   */
  guard: 'token' | 'control' | 'open';
  /**
   * Called before every other check, even that of the method. It throws if the caller calls too often, or must not
   * learn that the path exists. `fromLoopback` says that the request was made on this machine and not passed on by a
   * proxy.
   */
  admits?(asked: { params: Readonly<Record<string, unknown>>; fromLoopback: boolean }): void;
  /** If true, the answer to production tokens is 501 notImplemented (B6). */
  sandboxOnly?: boolean;
  /** If false, the endpoint is not in the OpenAPI document. Endpoints that only a page uses are not part of the API. */
  documented?: boolean;
  /**
   * How much of a call the journal gets. `all` is the default. `withoutBodies` is for bodies with secrets or card
   * numbers. `nothing` is for calls that would fill the journal, such as calls that read the journal.
   */
  journaled?: 'all' | 'withoutBodies' | 'nothing';
  params?: Params;
  query?: Query;
  /** The schema of the headers. Their names are in lower case. */
  headers?: Headers;
  body?: Body;
  /**
   * The form of the body. `json` is the default. `form` is what a browser's form sends: all fields are text. `anyText`
   * is JSON if the body is JSON, otherwise its text.
   */
  bodyType?: 'json' | 'form' | 'anyText';
  /** The maximum size of the endpoint's body, in bytes, if it is less than usual (B119). */
  largestBody?: number;
  /** Whether the body may be left out. */
  bodyOptional?: boolean;
  bodyExamples?: Record<string, unknown>;
  /** Decrypts a body that names its caller, so that no token is needed. */
  opens?(body: ReceivedBody): Promise<DecryptedBody>;
  /** Says, for the journal, what a request with this body asks for, if its API is not the native API. */
  asks?(body: unknown): RequestPurpose;
  /**
   * Whether the handler itself makes sure that it answers in time. For other endpoints that require a token, the router
   * makes sure of that (B68).
   */
  holds?: true;
  responses: Record<number, ResponseDescription>;
  /** The error codes of this endpoint. The codes that all endpoints with the same guard have are not among them. */
  errors?: readonly ErrorCode[];
}

/**
 * The work of an endpoint. `gives` returns the body of the endpoint's only response, or nothing if that response has no
 * body. `handle` returns the whole answer.
 */
type Handling<Call> =
  | { gives(call: Call): unknown; handle?: never }
  | { handle(call: Call): Promise<Answer>; gives?: never };

/**
 * Makes an endpoint for the router and the OpenAPI document from its description. The handler gets values with the
 * types of the schemas.
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

/**
 * Returns a function that makes the endpoints of a resource. All endpoints that it makes have the fields of `common`.
 */
export function endpointMaker(
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

/** Makes the handler of an endpoint that defines only the body of its answer. */
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

/**
 * Any endpoint, as lists contain it. The types of its parsed values are not known, because the server parses them
 * before it calls the handler.
 */
export type AnyEndpoint = Omit<Endpoint, 'route'> & {
  method: Method;
  path: string;
  handle(call: AnyCall): Promise<Answer>;
};
