import { asRecord } from '../journal-fields.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { formatMethodAndPath, type LintRule, makeRequestOccurrence, type Occurrence } from './rule.ts';

/**
 * Finds requests that were refused because of how they were sent (B114, B253). Refusals that depend on the
 * circumstances do not count: a limit, a decline, a terminal that is offline, a payment that does not exist.
 */
export const refusedRequestRule: LintRule = {
  id: 'refused-request',
  severity: 'warning',
  why: 'the gateway refused the request because of how it was sent: nothing was done, and the same request will be refused every time',
  fix: 'compare the request with the OpenAPI document (/docs); the answer names what is wrong',
  check: ({ requests }) =>
    requests.flatMap((request): Occurrence[] => {
      const fix = request.isOfDialect ? fixOfMessage(request) : fixOf(request);
      if (fix === undefined) return [];
      const { error, details } = asRecord(request.answered?.data.body);
      const { path, message } = asRecord(Array.isArray(details) ? details[0] : undefined);
      const fault = path ? `: ${path} ${message}` : message ? `: ${message}` : '';
      const status = request.as ?? request.status;
      const code = typeof error === 'string' ? ` ${error}` : '';
      // The URL is not part of the cause, because clients can send any URL. The variable `path` names a field of the
      // body.
      const cause = `${status}${code} ${String(path ?? '').replaceAll(/\d+/g, '0')}`;
      const what = `${formatMethodAndPath(request)} was refused with ${status}${code}${fault}`;
      return [makeRequestOccurrence(request, what, { cause, fix })];
    }),
};

/** The fix for a refused nexo message. The answer says in words what is wrong with the message. */
function fixOfMessage({ status = 0, as }: PosRequest): string | undefined {
  if (as === 'NotFound') return undefined; // NotFound is a correct answer to a correct status request
  if (status === 501)
    return 'pinpad does not emulate a part of this message: the answer names the part; leave it out';
  if (![400, 401, 404, 405, 413, 415].includes(status)) return undefined;
  return 'compare the message with the Terminal API of its vendor: the answer names what is wrong';
}

/** Returns the fix for a refusal, or undefined if the request was correct. */
function fixOf(request: PosRequest): string | undefined {
  const { status, headers, body } = request.answered?.data ?? { status: 0 };
  if (status < 400 || status > 499) return undefined;
  switch (status) {
    case 400:
      return fixOfBody(asRecord(body));
    case 401:
      return isOfTheApi(request)
        ? 'send "Authorization: Bearer TOKEN" with an API token of this gateway; `pinpad token` makes a token'
        : undefined;
    case 404:
      return fixOfPath(asRecord(body).error);
    case 405:
      return `send one of the methods that this path has: ${headers?.Allow ?? 'see /docs'}`;
    case 413:
    case 431:
      return 'send less: a body of at most 100 kB, headers of at most 16 kB';
    case 415:
      return 'send the body as JSON, with "Content-Type: application/json"';
    default:
      return undefined;
  }
}

function fixOfBody({ error, details }: Record<string, unknown>): string | undefined {
  const { path = '', message = '' } = asRecord(Array.isArray(details) ? details[0] : undefined);
  if (/amount|value$/i.test(String(path)) && /number/.test(String(message)))
    return 'send amounts as JSON numbers, such as 12.5, not as text';
  if (error === 'invalidAmount' || /amount/i.test(String(path)))
    return "send an amount above zero, rounded to the currency's decimals, such as 12.5";
  return error === 'invalidJson' ? 'send JSON: build the body with a JSON library' : refusedRequestRule.fix;
}

/**
 * The fix for a 404. A path or a terminal that does not exist is a mistake. But if the request looks up a payment, "not
 * found" is a proper answer.
 */
function fixOfPath(error: unknown): string | undefined {
  if (error === 'routeNotFound') return 'compare path and method with the OpenAPI document (/docs)';
  if (error === 'terminalNotFound')
    return 'take terminal identifiers (UUIDs, not poi_ids) from GET /terminals, with the same token';
  return undefined;
}

/** Whether the path belongs to the API. A path outside of the API can be anything, because clients choose it. */
function isOfTheApi({ path }: PosRequest): boolean {
  return /^\/(terminals|payment-requests|contact|debit|credit)(\/|$)/.test(path);
}
