import type { Answer } from './endpoint.ts';
import type { ApiError } from './errors.ts';
import type { Resource } from './resource.ts';

/** A failed request: an error of its handler, or an error that a test has set instead of the answer. */
export type RequestFailure = Pick<ApiError, 'status' | 'code' | 'message' | 'details' | 'headers'>;

/** The data that are needed to write the error of a refused request. */
interface Refused {
  readonly requestId: string;
  /** Whether the status 200 and some white space were already sent, to make the client wait. */
  readonly begun: boolean;
  /** The request's body as JSON, or as text if it is not JSON; undefined if it was not read. */
  readonly body: unknown;
}

/** Writes an error in the form of one API. */
export type ErrorFormatter = (error: RequestFailure, refused: Refused) => Answer;

/** Another vendor's API, after it was loaded. Its clients send their token in a header that this API defines. */
export interface ServedDialect {
  readonly resources: readonly Resource[];
  /** The header's name in lower case; undefined if the body names its caller ({@link AnyEndpoint.opens}). */
  readonly tokenHeader: string | undefined;
  readonly errorForm: ErrorFormatter;
}

/** Another vendor's API, as the server knows it before the first call. */
export interface Dialect {
  has(path: string): boolean;
  /** Loads the API at its first call; undefined if the API is switched off. */
  readonly open: (() => Promise<ServedDialect>) | undefined;
  /** The message for a caller if the API is switched off. */
  readonly whenOff: string;
}
