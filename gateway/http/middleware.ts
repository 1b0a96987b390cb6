import type { Response as ExpressResponse, NextFunction, Request } from 'express';
import type { Caller } from './endpoint.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';

/** The values about a request that one middleware hands to the next. */
export interface Locals {
  readonly exchange: Exchange;
  /** The guard that let the request pass; undefined if no guard has let it pass yet. */
  passed?: 'token' | 'control';
  caller?: Caller;
  /** Whether the request passed without a token, because the user's browser has signed in to the console. */
  fromConsole?: boolean;
}

type Response = ExpressResponse<unknown, Locals>;
export type Middleware = (request: Request, response: Response, next: NextFunction) => void | Promise<void>;

/** Answers all errors. If the router cannot decode a path, the client is at fault. */
export function answerError(error: unknown, _: Request, { locals }: Response, __: NextFunction): void {
  const badPath = error instanceof URIError;
  locals.exchange.fail(
    badPath ? new ApiError('invalidRequest', { message: 'The path is badly percent-encoded' }) : error,
  );
}
