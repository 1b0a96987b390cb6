import type { Answer } from './endpoint.ts';
import type { ApiError } from './errors.ts';
import type { Resource } from './resource.ts';

/** The failure of a request: a handler's error, or an error that a test set in place of the answer. */
export type RequestFailure = Pick<ApiError, 'status' | 'code' | 'message' | 'details' | 'headers'>;

/** The facts about a refused request that are needed to write its error. */
interface Refused {
  readonly requestId: string;
  /** Whether white space was sent already, with status 200. */
  readonly begun: boolean;
  /** The request's body as JSON, or its text if it is not JSON; undefined if it was not read. */
  readonly body: unknown;
}

/** Writes an error in the form of an API. */
export type ErrorForm = (error: RequestFailure, refused: Refused) => Answer;

/** An API besides the gateway's own, once it is served. Clients send its token in a header of its own. */
export interface ServedDialect {
  readonly resources: readonly Resource[];
  /** The header's name in lower case; undefined if a body names its caller ({@link AnyEndpoint.opens}). */
  readonly tokenHeader: string | undefined;
  readonly errorForm: ErrorForm;
}

/** An API besides the gateway's own before its first call, as the server knows it. */
export interface Dialect {
  has(path: string): boolean;
  /** Loads the API at its first call; undefined if the API is off. */
  readonly open: (() => Promise<ServedDialect>) | undefined;
  /** The message for a caller if the API is off. */
  readonly whenOff: string;
}
