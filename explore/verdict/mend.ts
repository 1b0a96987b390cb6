import type { Failure, Verdict } from './verdict.ts';

/** The advice for a point of sale about which no lint rule says anything, by what became of the money (B387). */
const mends: Readonly<Record<Failure, string>> = {
  chargedTwice:
    'before you begin another payment for a sale, learn the outcome of the last one: send its request again with the same key, or ask for its status',
  paidBelievedUnpaid:
    'take a sale for unpaid only where an answer says failure; after anything else ask for its status until there is an outcome',
  believedPaidUnpaid:
    'take a sale for paid only where an answer says success, for the amount that stands in it, and as long as nothing was given back',
  refundedTwice:
    'before you send a refund again, look at the list of refunds: one that was not answered may be in it',
  wrongTimes:
    'note the webhook-id of each event together with what it led to, and act once on each of them, however often it comes',
  paidNeverLearnt:
    'note each sale with its key before you send it, and ask for its status until there is an outcome, also after a restart',
  leftUnknown: 'ask for the status until there is an outcome, and only then end the sale',
  commandFailed:
    'have your program go on after what went wrong here: the outcome is known, and it fails all the same',
  hangs:
    'give each request a limit of time (more than 190 s for a payment, 40 s for a status), and whatever repeats something an end',
  didNotSettle:
    'finish what your program begins: what is still open here waits for it or for its receiver of events',
};

/** The advice for an HTTP client that followed a redirect by itself. */
export const mendRedirects =
  'have your HTTP client follow no redirects: what it finds there is the status of the payment, which may still say nothing';

export function mendOf({ is }: Verdict): string {
  return is === 'survived' || is === 'testFails' ? 'nothing' : mends[is];
}
