import type { IncomingHttpHeaders } from 'node:http';
import { maskAndTruncate } from '../../shared/masking/card-numbers.ts';
import type { Answer } from './endpoint.ts';

/**
 * The headers that the journal keeps. A request's headers show what the request means and which client sent the
 * request. An answer's headers show what the answer contains and what the client should do next.
 */
const journaledRequestHeaders = ['content-type', 'idempotency-key', 'prefer', 'user-agent'] as const;
const journaledAnswerHeaders = [
  'Content-Type',
  'Location',
  'Retry-After',
  'Preference-Applied',
  'WWW-Authenticate',
  'Allow',
] as const;
/** The headers of a usual answer. */
const jsonHeaders = Object.freeze({ 'Content-Type': 'application/json' });

/**
 * Selects from a request the headers that the journal keeps. The journal never gets a token. It only notes that the
 * request had a token.
 */
export function requestHeadersForJournal(all: IncomingHttpHeaders): Record<string, string> | undefined {
  const { authorization } = all;
  const headers = chosen(all, journaledRequestHeaders);
  return authorization === undefined
    ? headers
    : { authorization: authorization.startsWith('Bearer ') ? 'Bearer ****' : '****', ...headers };
}

export function answerHeadersForJournal(
  { headers }: Answer,
  text: string,
): Record<string, string> | undefined {
  if (!headers) return text === '' ? undefined : jsonHeaders;
  const kept = chosen(headers, journaledAnswerHeaders);
  return text === '' || hasContentType(headers) ? kept : { ...jsonHeaders, ...kept };
}

/** Selects headers by name, and shortens their values to a length that the journal can keep. */
function chosen(all: Record<string, unknown>, names: readonly string[]): Record<string, string> | undefined {
  let headers: Record<string, string> | undefined;
  for (const name of names) {
    const value = all[name];
    if (typeof value !== 'string') continue;
    headers ??= {};
    headers[name] = maskAndTruncate(value, 256);
  }
  return headers;
}

export function hasContentType(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
}
