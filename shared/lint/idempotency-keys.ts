import { asRecord } from '../journal-fields.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import type { RequestKind } from '../sales/request-kind.ts';
import { entriesOfRequest, formatMethodAndPath, type LintRule, makeRequestOccurrence } from './rule.ts';

/**
 * Finds keys that were used for two payments. A key is unique for each payment (B55); the gateway refuses a used key
 * with another body (B56).
 */
export const reusedKeyRule: LintRule = {
  id: 'reused-key',
  severity: 'error',
  why: 'a key belongs to one payment: with a reused key the service refuses the payment, or answers with the outcome of another payment',
  fixInNexo:
    'give every message a ServiceID that its terminal has not seen for 48 hours, and store this ServiceID with the sale before you send the message',
  fix: 'generate a new Idempotency-Key for every sale and store it with the sale before you send the request',
  check: ({ requests }) =>
    requests
      .filter(({ status }) => status === 422)
      .map((request) => ({ request, before: requests.find((one) => isBefore(one, request)) }))
      .filter(({ request }) => isReused(request))
      .map(({ request, before }) => {
        const key = request.isOfDialect ? request.keyText : `the Idempotency-Key ${request.key}`;
        const entries = [...(before ? entriesOfRequest(before) : []), ...entriesOfRequest(request)];
        const what = `${key} came a second time with another body or terminal`;
        return makeRequestOccurrence(request, what, { cause: request.key, entries });
      }),
};

function isBefore({ key, received }: PosRequest, later: PosRequest): boolean {
  return key === later.key && received.seq < later.received.seq;
}

function isReused({ answered, as, reusesKey }: PosRequest): boolean {
  return reusesKey || (as === undefined && asRecord(answered?.data.body).error === 'idempotencyKeyReused');
}

/**
 * Finds payment requests without a key. A key is recommended (B55): without a key, an interrupted payment can neither
 * be repeated nor looked up.
 */
export const missingKeyRule: LintRule = {
  id: 'missing-key',
  severity: 'warning',
  why: 'if the answer is lost, the payment cannot be found, and a repeated request charges twice',
  fix: 'send an Idempotency-Key with every payment request',
  check: ({ requests }) =>
    requests
      .filter(({ kind, key }) => kind === 'payment' && key === undefined)
      .map((request) =>
        makeRequestOccurrence(request, `${formatMethodAndPath(request)} came without an Idempotency-Key`, {
          cause: '',
        }),
      ),
};

/** The kinds of requests that the gateway executes again if they are repeated. */
const executed: ReadonlySet<RequestKind> = new Set([
  'charge',
  'preauthorize',
  'capture',
  'refund',
  'credit',
  'abort',
  'abortLatest',
]);

/** Finds idempotency keys on requests that ignore them. Only payment requests honour a key (B61). */
export const unhonouredKeyRule: LintRule = {
  id: 'unhonoured-key',
  severity: 'warning',
  why: 'the key has no effect on this request: a repeated request is executed again',
  fix: 'before you repeat a charge, capture or refund, look up whether it was executed',
  check: ({ requests }) =>
    requests
      .filter(({ kind, key }) => executed.has(kind) && key !== undefined)
      .map((request) =>
        makeRequestOccurrence(request, `${formatMethodAndPath(request)} came with an Idempotency-Key`, {
          cause: request.kind,
        }),
      ),
};
