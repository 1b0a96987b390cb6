import type { z } from 'zod';
import type { Asks, Means } from '../../shared/asks.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { ReceivedBody } from './received-body.ts';

/** Why a call's signal aborted: the client is gone. */
export class HungUp extends Error {
  constructor() {
    super('the client hung up');
  }
}

/**
 * Why a call's signal aborted: the gateway shuts down. Held payments answer 303 and long polls 202 then
 * (B69); a handler that lets it be thrown answers 503.
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
  /** Puts the text of an answer with status 200 into an envelope for its caller. */
  seal(text: string): string;
}

/** A request as a handler gets it: everything is parsed and checked. */
export interface CheckedRequest<Params, Query, Headers, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as it came, with the fields that no schema knows. */
  readonly json: unknown;
  /** Dotted paths of its fields that no schema knows (B29). */
  readonly unknownFields: readonly string[];
  /** Set on endpoints guarded by an API token. */
  readonly caller: Caller;
  readonly requestId: string;
  /** True if a browser that signed in to the console sends it: it may do what the control token may, except to the whole gateway (B293). */
  readonly fromConsole: boolean;
  /** When the request arrived, on the monotonic clock. The time that it is held counts from then on (B42). */
  readonly arrivedAt: number;
  /** Aborts when the client hangs up or the gateway shuts down; its reason is a {@link HungUp} or {@link ShuttingDown}. */
  readonly signal: AbortSignal;
  /**
   * Call it before waiting for a person, a terminal or a timer, and call its result when going on (virtual time). With
   * `limitMs` it waits for time, at most for that long; `fails` says that it has failed then.
   */
  park(limitMs?: number, fails?: boolean): () => void;
  /**
   * Call it when all is checked, before waiting for a person. White space is then sent now and then, for clients that
   * take silence for a broken connection. A later error is answered with status 200.
   */
  keepAwake(): void;
  /** Breaks the connection, because a test has set that: the client gets no answer. */
  cut(): void;
}

/** The output of a live stream. */
export interface StreamOutput {
  /** Writes to the stream. Gives false while the client reads too slowly; a client that stays too slow is cut off. */
  write(chunk: string | Uint8Array): boolean;
  /** Resolves when the client has caught up, or is gone. */
  drained(): Promise<void>;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Sent as it is instead of `body` as JSON; its content type stands in `headers` if it is not JSON. */
  text?: string;
  headers?: Record<string, string>;
  /** The payment whose outcome is in it. */
  outcomeOf?: string;
  /** The meaning of the answer, if its API is not the payments API. */
  means?: Means;
  /** Text of JSON in pieces, instead of `body`: each piece is made when the client has taken the one before it. */
  pieces?: Iterable<string>;
  /** Takes over the connection for a live stream. Resolves when the stream is over. */
  stream?: (output: StreamOutput, signal: AbortSignal) => Promise<void>;
}

export interface ResponseDescription {
  description: string;
  schema?: z.ZodType;
  /** Header name to description. */
  headers?: Record<string, string>;
  contentType?: string;
  /** Other forms in which the same answer can be asked for: content type to example. */
  alsoAs?: Record<string, string>;
  examples?: Record<string, unknown>;
}

type Fields = z.ZodObject | undefined;
type Parsed<T extends z.ZodType | undefined> = T extends z.ZodType ? z.output<T> : undefined;

/**
 * One operation of the HTTP interface, described once: the same schemas validate the request and generate the
 * OpenAPI document. `path` is written as OpenAPI writes it: /terminals/{terminalId}/payment-request
 */
interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Headers extends Fields = Fields,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** `token`: an API token; `control`: the control token; `open`: no authentication. */
  guard: 'token' | 'control' | 'open';
  /**
   * Called before all else, even before the method is checked. It throws if the caller must not learn that the path is there,
   * or asks too often. `fromLoopback`: the request was made on this machine, and no proxy passed it on.
   */
  admits?(asked: { params: Readonly<Record<string, unknown>>; fromLoopback: boolean }): void;
  /** Answers 501 notImplemented to production tokens (B6). */
  sandboxOnly?: boolean;
  /** False keeps it out of the OpenAPI document: parts of a page are not an interface. */
  documented?: boolean;
  /**
   * How much of a call the journal keeps: all of it; all but its bodies, which hold secrets or card numbers; or
   * nothing, because a reader of the journal would fill it. The default is all.
   */
  journaled?: 'all' | 'withoutBodies' | 'nothing';
  params?: Params;
  query?: Query;
  /** Header names in lower case. */
  headers?: Headers;
  body?: Body;
  /**
   * How the body comes: `json` when absent; `form` is what a browser's form sends, all fields text; `anyText` is JSON if
   * it can be read as such, and otherwise the text itself.
   */
  bodyType?: 'json' | 'form' | 'anyText';
  /** The largest body that it takes, in bytes, if that is less than usual (B119). */
  largestBody?: number;
  /** True if the body may be left out. */
  bodyOptional?: boolean;
  bodyExamples?: Record<string, unknown>;
  /** Opens a body that names its caller, in place of a token. */
  opens?(body: ReceivedBody): Promise<OpenedBody>;
  /** Gives the purpose of a request with this body, for the journal, if its API is not the payments API. */
  asks?(body: unknown): Asks;
  /** True if the handler itself sees to it that it answers in time. For other endpoints with a token the router does so (B68). */
  holds?: true;
  responses: Record<number, ResponseDescription>;
  /** Error codes beyond those every endpoint of its guard can answer. */
  errors?: readonly ErrorCode[];
  handle(call: CheckedRequest<Parsed<Params>, Parsed<Query>, Parsed<Headers>, Parsed<Body>>): Promise<Answer>;
}

/** Keeps the schemas' types while the endpoint goes into a plain list. */
export function endpoint<
  Params extends Fields = undefined,
  Query extends Fields = undefined,
  Headers extends Fields = undefined,
  Body extends z.ZodType | undefined = undefined,
>(description: Endpoint<Params, Query, Headers, Body>): AnyEndpoint {
  return description as unknown as AnyEndpoint;
}

/** A call to any endpoint. */
export type AnyCall = CheckedRequest<unknown, unknown, unknown, unknown>;

/** An endpoint in a list: its parsed types are erased; the server parses before it calls. */
export type AnyEndpoint = Omit<Endpoint, 'handle'> & {
  handle(call: AnyCall): Promise<Answer>;
};
