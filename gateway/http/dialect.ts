import type { Answer } from './endpoint.ts';
import type { ApiError } from './errors.ts';
import type { Resource } from './resource.ts';

/** The failure of a request: an error of a handler, or one that a test set in place of the answer. */
export type RequestFailure = Pick<ApiError, 'status' | 'code' | 'message' | 'details' | 'headers'>;

/** The facts about a refused request that its error needs. */
interface Refused {
  readonly requestId: string;
  /** Whether white space was sent, with status 200. */
  readonly begun: boolean;
  /** The request's body as JSON, or its text if it is not JSON; undefined if it was not read. */
  readonly body: unknown;
}

/** Puts an error into the words of an API. */
export type ErrorForm = (error: RequestFailure, refused: Refused) => Answer;

/** An API besides the gateway's own, once it is served. Its token stands in a header of its own. */
export interface ServedDialect {
  readonly resources: readonly Resource[];
  /** In lower case; undefined if a body names its caller ({@link AnyEndpoint.opens}). */
  readonly tokenHeader: string | undefined;
  readonly errorForm: ErrorForm;
}

/** Such an API before its first call, as the server knows it. */
export interface Dialect {
  has(path: string): boolean;
  /** Loads it when it is first called; undefined if it is off. */
  readonly open: (() => Promise<ServedDialect>) | undefined;
  /** The message for a caller if it is off. */
  readonly whenOff: string;
}
