import type { Response as ExpressResponse, NextFunction, Request } from 'express';
import type { Caller } from './endpoint.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';

/** The values that a request carries from one middleware to the next. */
export interface Locals {
  readonly exchange: Exchange;
  /** The guard that admitted the request; undefined if none has yet. */
  passed?: 'token' | 'control';
  caller?: Caller;
  /** Whether the request was admitted without a token, because its browser signed in to the console. */
  fromConsole?: boolean;
}

type Response = ExpressResponse<unknown, Locals>;
export type Middleware = (request: Request, response: Response, next: NextFunction) => void | Promise<void>;

/** Handles all errors. A path that the router cannot decode is an error of the client. */
export function answerError(error: unknown, _: Request, { locals }: Response, __: NextFunction): void {
  const badPath = error instanceof URIError;
  locals.exchange.fail(
    badPath ? new ApiError('invalidRequest', { message: 'The path is badly percent-encoded' }) : error,
  );
}
