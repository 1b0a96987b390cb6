import type { Answer } from './endpoint.ts';
import type { ApiError } from './errors.ts';
import type { ResourceEndpoints } from './resource.ts';

/** A failed request: an error of its handler, or an error that a test has set instead of the answer. */
export type RequestFailure = Pick<ApiError, 'status' | 'code' | 'message' | 'details' | 'headers'>;

/** The data that are needed to write the error of a refused request. */
interface Refused {
  readonly requestId: string;
  /** Whether the status 200 and some white space were already sent, so that the client goes on waiting. */
  readonly begun: boolean;
  /** The request's body as JSON, or as text if the body is not JSON; undefined if the body was not read. */
  readonly body: unknown;
}

/** Writes an error in the form of one API. */
export type ErrorFormatter = (error: RequestFailure, refused: Refused) => Answer;

/** Another vendor's API, after it was loaded. The API defines the header in which its clients send their token. */
export interface LoadedDialect {
  readonly resources: readonly ResourceEndpoints[];
  /** The header's name in lower case; undefined if the body names its caller ({@link AnyEndpoint.opens}). */
  readonly tokenHeader: string | undefined;
  readonly errorForm: ErrorFormatter;
}

/** Another vendor's API, before the first call loads it. */
export interface LazyDialect {
  has(path: string): boolean;
  /** Loads the API at its first call; undefined if the API is switched off. */
  readonly open: (() => Promise<LoadedDialect>) | undefined;
  /** The message for a caller if the API is switched off. */
  readonly whenOff: string;
}
