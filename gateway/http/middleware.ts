import type { Response as ExpressResponse, NextFunction, Request } from 'express';
import type { AnyCall, Caller } from './endpoint.ts';
import type { Exchange, ReceivedBody } from './exchange.ts';
import type { Parsed } from './validate.ts';

/** What a request carries from one middleware to the next. */
export interface Locals {
  readonly exchange: Exchange;
  /** Which guard let it in; none yet where it is undefined. */
  passed?: 'token' | 'control';
  caller?: Caller;
  /** Its body, where the endpoint takes one and it came with one. */
  received?: ReceivedBody;
  /** What it brought, checked against the endpoint's schemas. */
  checked?: Parsed & Pick<AnyCall, 'json' | 'unknownFields'>;
}

export type Response = ExpressResponse<unknown, Locals>;
export type Middleware = (request: Request, response: Response, next: NextFunction) => void | Promise<void>;
