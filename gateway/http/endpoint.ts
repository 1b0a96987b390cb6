import assert from 'node:assert';
import type { z } from 'zod';
import type { DialectAnswerMeaning, DialectRequestMeaning } from '../../shared/dialect-meaning.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { ReceivedBody } from './received-body.ts';

/** A call's signal aborts with this reason if the client has hung up. */
export class HungUpError extends Error {
  constructor() {
    super('the client hung up');
  }
}

/**
 * A call's signal aborts with this reason if the gateway shuts down. Held payments are then answered with 303, and
 * long polls are answered with 202 (B69). If a handler does not catch this error, the answer is 503.
 */
export class ShuttingDownError extends ApiError {
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

/** A decrypted body, and the caller whom the body names. */
export interface DecryptedBody {
  readonly caller: Caller;
  readonly body: ReceivedBody;
  /** Encrypts the text of an answer with status 200 for the caller whom the body names. */
  seal(text: string): string;
}

/** A request in the form in which a handler gets it. All its parts are parsed and checked. */
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
   * Whether the request comes from a browser that has signed in to the console. Such a request may do what the control
   * token allows, except actions that affect the whole gateway (B293).
   */
  readonly fromConsole: boolean;
  /**
   * The time at which the request arrived, on the monotonic clock. The time limit for holding the request begins at
   * this time (B42).
   */
  readonly arrivedAt: number;
  /**
   * Aborts if the client hangs up or the gateway shuts down. The reason is a {@link HungUpError} or {@link ShuttingDownError}.
   */
  readonly signal: AbortSignal;
  /**
   * Call this before a wait for a person, a terminal or a timer. Call the returned function after the wait. Virtual
   * time may move during the wait. `limitMs` is the maximum duration of the wait. If `fails` is true, the request
   * fails after that duration.
   */
  park(limitMs?: number, fails?: boolean): () => void;
  /**
   * Call this when all checks are done, before a wait for a person. After this call, white space is sent at intervals,
   * because some clients take silence for a broken connection. An error that occurs after this call is sent with
   * status 200.
   */
  keepAwake(): void;
  /** Breaks the connection so that the client gets no answer. This is called only if a test has requested it. */
  cut(): void;
}

/** The client's end of a live stream. */
export interface StreamWriter {
  /**
   * Writes to the stream. Returns false while the client reads too slowly. If the client reads too slowly for a long
   * time, it is cut off.
   */
  write(chunk: string | Uint8Array): boolean;
  /** Resolves when the client has read all waiting data, or has hung up. */
  drained(): Promise<void>;
}

export interface Answer {
  status: number;
  body?: unknown;
  /**
   * The body as text, which is sent instead of `body`. If this text is not JSON, `headers` must contain its content
   * type.
   */
  text?: string;
  headers?: Record<string, string>;
  /** The payment whose outcome the answer contains. */
  outcomeOf?: string;
  /**
   * The meaning of the answer, which the journal stores with the answer. Set only in APIs of other vendors.
   */
  means?: DialectAnswerMeaning;
  /**
   * The body as JSON text in pieces, which is sent instead of `body`. If the client reads slowly, further pieces are
   * made only after the client has read the earlier pieces.
   */
  pieces?: Iterable<string>;
  /** Writes a live stream to the client. Resolves when the stream has ended. */
  stream?: (output: StreamWriter, signal: AbortSignal) => Promise<void>;
}

export interface ResponseDescription {
  description: string;
  schema?: z.ZodType;
  /** For the name of each header, the header's description. */
  headers?: Record<string, string>;
  contentType?: string;
  /** Other content types in which a client can request the answer, each with an example. */
  alsoAs?: Record<string, string>;
  examples?: Record<string, unknown>;
}

/** Describes a JSON response. The description has a sentence, a schema and named examples. */
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
 * One operation of the HTTP interface. It is described only once. Its schemas validate requests, and the OpenAPI
 * document is made from the same schemas.
 */
interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Headers extends Fields = Fields,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> {
  /** The method and the path. The path is written as in OpenAPI: POST /terminals/{terminalId}/payment-request */
  route: `${Uppercase<Method>} /${string}`;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * The callers that may use the endpoint. `token`: callers with an API token. `control`: callers with the control
   * token. `open`: everyone.
   */
  guard: 'token' | 'control' | 'open';
  /**
   * Called before every other check, even before the check of the method. Throws an error if the caller calls too
   * often, or must not learn that the path exists. `fromLoopback` is true if the request was made on this machine and
   * no proxy has passed it on.
   */
  admits?(asked: { params: Readonly<Record<string, unknown>>; fromLoopback: boolean }): void;
  /** If true, the answer to production tokens is 501 notImplemented (B6). */
  sandboxOnly?: boolean;
  /** If false, the endpoint is not in the OpenAPI document. Endpoints that only a page uses are not part of the API. */
  documented?: boolean;
  /**
   * How much of a call the journal keeps. `all` is the default. `withoutBodies` is for calls whose bodies contain
   * secrets or card numbers. `nothing` is for calls that would fill the journal, such as calls that read the journal.
   */
  journaled?: 'all' | 'withoutBodies' | 'nothing';
  params?: Params;
  query?: Query;
  /** The schema of the headers. The names of the headers are in lower case. */
  headers?: Headers;
  body?: Body;
  /**
   * The form of the body. `json` is the default. `form` is the format of a browser's form, in which all fields are
   * text. With `anyText`, the body is read as JSON if it is JSON, and otherwise as text.
   */
  bodyType?: 'json' | 'form' | 'anyText';
  /** The maximum size of the endpoint's body, in bytes. Absent if it is the usual maximum (B119). */
  largestBody?: number;
  /** Whether the body may be left out. */
  bodyOptional?: boolean;
  bodyExamples?: Record<string, unknown>;
  /** Decrypts a body. The body names its caller, so the request needs no token. */
  opens?(body: ReceivedBody): Promise<DecryptedBody>;
  /**
   * Returns what a request with this body asks for. The result is stored in the journal. Only endpoints of other
   * vendors' APIs have this function.
   */
  asks?(body: unknown): DialectRequestMeaning;
  /**
   * True if the handler itself makes sure that the request is answered in time. Otherwise the router makes sure of
   * this, but only if the endpoint requires a token (B68).
   */
  holds?: true;
  responses: Record<number, ResponseDescription>;
  /** The error codes of this endpoint, without the codes that all endpoints with the same guard have. */
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
 * Turns the description of an endpoint into the endpoint. The router and the OpenAPI document use the result. The
 * handler gets values with the types of the schemas.
 */
export function defineEndpoint<
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

/** Returns a function that makes the endpoints of a resource. All these endpoints have the fields of `common`. */
export function makeEndpointDefiner(
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
  ): AnyEndpoint => defineEndpoint<Params, Query, Headers, Body>({ ...common, ...description });
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
    `${operationId} must have "handle" instead of "gives", because it does not have exactly one response`,
  );
  return async (call) => {
    const body = await gives?.(call);
    return status === 204 ? { status } : { status, body };
  };
}

/** A call to any endpoint. */
export type AnyCall = CheckedRequest<unknown, unknown, unknown, unknown>;

/**
 * An endpoint as an item of a list of different endpoints. This type does not know the types of the endpoint's parsed
 * values. The server parses the values before it calls the handler.
 */
export type AnyEndpoint = Omit<Endpoint, 'route'> & {
  method: Method;
  path: string;
  handle(call: AnyCall): Promise<Answer>;
};
