import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { hasHeaderTwice } from './validate.ts';

/**
 * Finds the caller to whom the token of an Authorization header belongs. Gives undefined if the token is missing,
 * unknown, revoked or expired.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

/** Gives the Authorization header; undefined if there is none, or if there are several. */
export function readAuthorizationHeader(request: IncomingMessage): string | undefined {
  return hasHeaderTwice(request, 'authorization') ? undefined : request.headers.authorization;
}

/** Gives the token in `Bearer <token>`; undefined if the header has another form. */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? '')?.[1];
}

/** Compares two secrets in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export function makeUnauthorizedError(message?: string): ApiError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new ApiError('unauthorized', message === undefined ? { headers } : { message, headers });
}
