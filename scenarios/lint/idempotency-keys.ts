import { asRecord } from '../requests/read-requests.ts';
import { entriesOf, type LintRule, nameOf } from './rule.ts';

/** A key is unique for each payment (B55); another body under it is refused (B56). */
export const reusedKey: LintRule = {
  id: 'reused-key',
  severity: 'error',
  why: 'a key belongs to one payment: the service refuses, or worse answers with, a payment that was not meant',
  fix: 'make a new Idempotency-Key for every sale and store it with the sale before the request is sent',
  check: ({ requests }) =>
    requests
      .filter(({ answered }) => asRecord(answered?.data.body).error === 'idempotencyKeyReused')
      .map((request) => ({
        what: `the Idempotency-Key ${request.key} came a second time with another body or terminal`,
        entries: [
          ...requests
            .filter(({ key, received }) => key === request.key && received.seq < request.received.seq)
            .slice(0, 1)
            .flatMap(entriesOf),
          ...entriesOf(request),
        ],
        payment: request.payment,
      })),
};

/** A key is recommended (B55); without it an interrupted payment can neither be repeated nor asked for. */
export const missingKey: LintRule = {
  id: 'missing-key',
  severity: 'warning',
  why: 'when the answer is lost, the payment can be neither found nor repeated without charging twice',
  fix: 'send an Idempotency-Key with every payment request',
  check: ({ requests }) =>
    requests
      .filter(({ kind, key }) => kind === 'payment' && key === undefined)
      .map((request) => ({
        what: `${nameOf(request)} came without an Idempotency-Key`,
        entries: entriesOf(request),
        payment: request.payment,
      })),
};

/** Only payment requests honour a key (B61). */
export const unhonouredKey: LintRule = {
  id: 'unhonoured-key',
  severity: 'warning',
  why: 'the key is not honoured there: repeating the request does it a second time',
  fix: 'do not repeat charges, captures and refunds blindly; look first what became of them',
  check: ({ requests }) =>
    requests
      .filter(({ kind, key, method }) => kind !== 'payment' && key !== undefined && method !== 'GET')
      .map((request) => ({
        what: `${nameOf(request)} came with an Idempotency-Key`,
        entries: entriesOf(request),
        payment: request.payment,
      })),
};
