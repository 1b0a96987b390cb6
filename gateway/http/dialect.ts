import type { Answer } from './endpoint.ts';
import type { ApiError } from './errors.ts';
import type { Resource } from './resource.ts';

/** What went wrong with a request: an error of a handler, or what a test put in the place of its answer. */
export type RequestFailure = Pick<ApiError, 'status' | 'code' | 'message' | 'details' | 'headers'>;

/** What is known of a request that is refused. */
interface Refused {
  readonly requestId: string;
  /** White space was sent, with status 200. */
  readonly begun: boolean;
  /** The request's body as JSON, or its text where it is none; undefined where it was not read. */
  readonly body: unknown;
}

/** Puts an error into the words of an API. */
export type ErrorForm = (error: RequestFailure, refused: Refused) => Answer;

/** Another API than the gateway's own, where it is served: a token for it stands in a header of its own. */
export interface ServedDialect {
  readonly resources: readonly Resource[];
  /** In lower case; undefined where a body says whose it is ({@link AnyEndpoint.opens}). */
  readonly tokenHeader: string | undefined;
  readonly errorForm: ErrorForm;
}

/** Such an API as the server knows it before anybody calls it. */
export interface Dialect {
  has(path: string): boolean;
  /** Loads it when it is first called; undefined where it is off. */
  readonly open: (() => Promise<ServedDialect>) | undefined;
  /** What a caller is told where it is off. */
  readonly whenOff: string;
}
