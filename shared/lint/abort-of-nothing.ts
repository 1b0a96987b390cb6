import { formatMethodAndPath, type LintRule, makeRequestOccurrence } from './rule.ts';

/**
 * Finds aborts that name no known payment. The payments API answers 404 to such an abort. Adyen's API answers ok to any
 * abort, so the cashier does not notice that the message was wrong.
 */
export const abortOfNothingRule: LintRule = {
  id: 'abort-of-nothing',
  severity: 'error',
  why: 'the abort is answered with ok, and the payment goes on: the customer may still pay a sale that the cashier has cancelled',
  fix: 'in MessageReference, name the ServiceID of the payment message, not the ServiceID of a status or of another message',
  check: ({ requests }) =>
    requests
      .filter(
        ({ kind, isOfDialect, status, payment }) =>
          kind === 'abort' && isOfDialect && status === 204 && payment === undefined,
      )
      .map((request) =>
        makeRequestOccurrence(
          request,
          `${formatMethodAndPath(request)} aborts ${request.keyText}, which is not a payment`,
        ),
      ),
};
