import type { FailureKind, Verdict } from './verdict.ts';

/**
 * The advice for each kind of failure. It is used unless the point of sale broke a lint rule of severity `error`
 * (B387).
 */
const mends: Readonly<Record<FailureKind, string>> = {
  chargedTwice:
    'before you begin another payment for a sale, learn the outcome of the last payment: send its request again with the same key, or ask for its status',
  paidBelievedUnpaid:
    'treat a sale as unpaid only if an answer says failure; after anything else, ask for its status until there is an outcome',
  believedPaidUnpaid:
    'treat a sale as paid only if an answer says success and nothing was given back, and use the amount in that answer',
  refundedTwice:
    'before you send a refund again, look at the list of refunds: a refund that got no answer may be in this list',
  wrongTimes:
    'store the webhook-id of each event together with its effect, and act once on each event, however often it comes',
  paidNeverLearnt:
    'store each sale with its key before you send the request, and ask for its status until there is an outcome, also after a restart',
  leftUnknown: 'ask for the status until there is an outcome, and only then end the sale',
  commandFailed:
    'let your program end without an error after this fault: it fails although it knows the outcome',
  hangs:
    'give each request a time limit (more than 190 s for a payment, at least 40 s for a status), and give every loop an end',
  didNotSettle:
    'let your program finish every payment that it begins: something is still open, and waits for the program or for its webhook receiver',
};

/** The advice if the HTTP client followed a redirect by itself. */
export const redirectAdvice =
  'turn off redirects in your HTTP client: a redirect leads to the status of the payment, which may not have an outcome yet';

export function adviceFor({ is }: Verdict): string {
  return is === 'survived' || is === 'testFails' ? 'nothing' : mends[is];
}
