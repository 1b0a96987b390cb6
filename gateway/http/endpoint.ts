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

/** Who a bearer token says is calling (B112). */
export interface Caller {
  readonly tokenId: string;
  readonly accountId: string;
  readonly environment: 'sandbox' | 'production';
}

/** What was in a body that came in an envelope. */
export interface OpenedBody {
  readonly caller: Caller;
  readonly body: ReceivedBody;
  /** Puts the text of an answer with status 200 into an envelope for its caller. */
  seal(text: string): string;
}

/** What a handler is given: everything parsed and checked. */
export interface CheckedRequest<Params, Query, Headers, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as it came, with what no schema knows. */
  readonly json: unknown;
  /** Dotted paths of its fields that no schema knows (B29). */
  readonly unknownFields: readonly string[];
  /** Set on endpoints guarded by an API token. */
  readonly caller: Caller;
  readonly requestId: string;
  /** A browser that signed in to the console sends it: it may do what the control token may, but to the whole gateway (B293). */
  readonly fromConsole: boolean;
  /** When it arrived, on the monotonic clock: what it is held for counts from there (B42). */
  readonly arrivedAt: number;
  /** Aborts when the client hangs up or the gateway shuts down; its reason is a {@link HungUp} or {@link ShuttingDown}. */
  readonly signal: AbortSignal;
  /**
   * Call before waiting for a person, a terminal or a timer, and its result when going on (virtual time). With `limitMs` it
   * waits for time, so long at most; `fails` if it has failed then.
   */
  park(limitMs?: number, fails?: boolean): () => void;
  /**
   * Call once all is checked, before waiting for a person: a client that takes silence for a broken connection is sent white
   * space now and then. What fails after that is said with status 200.
   */
  keepAwake(): void;
  /** Breaks the connection off, because a test has set that: nobody is answered. */
  cut(): void;
}

/** Where a live stream is written to. */
export interface StreamOutput {
  /** False while the client reads too slowly; one that stays too slow is cut off. */
  write(chunk: string | Uint8Array): boolean;
  /** Resolves when the client has caught up, or is gone. */
  drained(): Promise<void>;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Sent as it is instead of `body` as JSON; its content type stands in `headers`, where it is not JSON. */
  text?: string;
  headers?: Record<string, string>;
  /** The payment whose outcome is in it. */
  outcomeOf?: string;
  /** What it means, where its API is not the payments API. */
  means?: Means;
  /** Text of JSON in pieces, instead of `body`: each is made when the client has taken what was before it. */
  pieces?: Iterable<string>;
  /** Takes over the connection for a live stream; resolves when the stream is over. */
  stream?: (output: StreamOutput, signal: AbortSignal) => Promise<void>;
}

export interface ResponseDescription {
  description: string;
  schema?: z.ZodType;
  /** Header name to description. */
  headers?: Record<string, string>;
  contentType?: string;
  /** What else the same answer can be asked for as: content type to example. */
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
   * Asked before all else, also the method: throws where nobody is to learn that the path is there, or it is asked too often.
   * `fromLoopback`: it was made on this machine, and no proxy passed it on.
   */
  admits?(asked: { params: Readonly<Record<string, unknown>>; fromLoopback: boolean }): void;
  /** Answers 501 notImplemented to production tokens (B6). */
  sandboxOnly?: boolean;
  /** False keeps it out of the OpenAPI document: parts of a page are not an interface. */
  documented?: boolean;
  /**
   * What the journal keeps of a call: all of it, not its bodies (they hold secrets or card numbers), or nothing
   * (an observer that would fill what it observes). `all` when absent.
   */
  journaled?: 'all' | 'withoutBodies' | 'nothing';
  params?: Params;
  query?: Query;
  /** Header names in lower case. */
  headers?: Headers;
  body?: Body;
  /**
   * How the body comes: `json` when absent; `form` is what a browser's form sends, all fields text; `anyText` is JSON where it
   * can be read as such, and the text itself where not.
   */
  bodyType?: 'json' | 'form' | 'anyText';
  /** The largest body it takes, in bytes, where that is less than the usual (B119). */
  largestBody?: number;
  /** True where a body may be left out. */
  bodyOptional?: boolean;
  bodyExamples?: Record<string, unknown>;
  /** Opens a body that says in place of a token whose it is. */
  opens?(body: ReceivedBody): Promise<OpenedBody>;
  /** What a request with this body is for, where its API is not the payments API: the journal says it. */
  asks?(body: unknown): Asks;
  /** True if the handler itself sees to it that it answers in time; of the others with a token the router does (B68). */
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
