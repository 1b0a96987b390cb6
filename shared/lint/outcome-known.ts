import type { PosRequest } from '../requests/pos-request.ts';
import { beginsAtTerminal } from '../sales/request-kind.ts';
import { findBlindGiveBacks } from './blind-give-backs.ts';
import { findBlindPaymentRetries } from './blind-payment-retry.ts';
import {
  endEntryOf,
  entriesOfRequest,
  formatMethodAndPath,
  hadTimeToAct,
  hasOutcome,
  isOutcomeUnknown,
  isPaymentUnderWay,
  type LintInput,
  type LintRule,
  makeRequestOccurrence,
  type Occurrence,
} from './rule.ts';

/** A payment, and all requests about it that the point of sale sent. */
interface RequestedPayment {
  readonly payment: string | undefined;
  readonly requests: readonly PosRequest[];
}

const askInNexo =
  "ask for the TransactionStatus of the message's ServiceID until the answer is Success, also after a Reject event, an HTTP error or a restart of your program";

/**
 * Finds payment requests that were answered with 303 and after which the point of sale did not request the payment's
 * status. After a 303, the point of sale has to poll the status until the payment is concluded (B41).
 */
export const ignored303Rule: LintRule = {
  id: 'ignored-303',
  severity: 'error',
  why: 'the payment continued after 150 seconds, so the customer may have paid without your noticing',
  fixInNexo: askInNexo,
  fix: 'after a 303 or a 202, repeat GET /payment-requests/status until the answer is 200',
  check: (watched) =>
    paymentsWithoutOutcome(watched)
      .filter((each) => isLeftAt303(each))
      .map((each) =>
        paymentOccurrence(
          each,
          `was answered with ${each.requests.at(-1)?.as ?? 303}, and its status was never requested`,
        ),
      ),
};

/**
 * Finds payments whose outcome the point of sale never asked for. The status endpoint exists to recover from any
 * interruption (B47).
 */
export const unknownOutcomeRule: LintRule = {
  id: 'unknown-outcome',
  severity: 'error',
  why: 'the customer may have been charged: if you give up, you lose money or charge twice',
  fixInNexo: askInNexo,
  fix: 'after a hang-up, a timeout or a 5xx, ask for the status by the key until the answer is 200 (after a refund, list the refunds)',
  check: (watched) => [
    ...paymentsWithoutOutcome(watched)
      .filter((each) => !isLeftAt303(each) && !couldHaveKnown(watched, each))
      .map((each) => paymentOccurrence(each, 'ended without an outcome, and the POS did not ask again')),
    ...refundsWithoutOutcome(watched),
  ],
};

/**
 * Finds payments whose outcome the point of sale requested but did not get. It then stopped asking, although the
 * outcome became available (B252).
 */
export const stoppedAskingRule: LintRule = {
  id: 'stopped-asking',
  severity: 'error',
  why: 'the outcome became available, but the POS had stopped asking: the POS does not know whether the customer paid, or whether another try is safe',
  fixInNexo: askInNexo,
  fix: 'keep asking for the status by the key until the answer is 200, also after a 202, a 404, a 5xx or a restart of your program',
  check: (watched) =>
    paymentsWithoutOutcome(watched)
      .filter((each) => !isLeftAt303(each) && couldHaveKnown(watched, each))
      .map((each) => {
        const { status, as = status } = each.requests.at(-1) ?? {};
        const got = as === undefined ? 'no answer' : typeof as === 'number' ? `a ${as}` : as;
        const result = watched.conclusionOf(each.payment ?? '')?.data.result;
        return paymentOccurrence(
          each,
          `got ${got}, and the POS did not ask again: the payment ended as ${result}`,
        );
      }),
};

function paymentOccurrence({ payment, requests }: RequestedPayment, what: string): Occurrence {
  const [first] = requests;
  const last = requests.at(-1);
  return {
    of: first,
    what: `${last ? formatMethodAndPath(last) : ''} ${what}`,
    entries: requests.flatMap(entriesOfRequest),
    payment,
  };
}

function isLeftAt303({ requests }: RequestedPayment): boolean {
  return requests.at(-1)?.status === 303;
}

function couldHaveKnown({ conclusionOf }: LintInput, { payment, requests }: RequestedPayment): boolean {
  const asked = requests.some(({ kind }) => !beginsAtTerminal(kind));
  return asked && payment !== undefined && conclusionOf(payment) !== undefined;
}

/**
 * Returns the payments, reversals and card refunds whose outcome the point of sale did not receive and no longer asks
 * for. Payments that the point of sale requested again blindly are left out, because another rule reports them.
 */
function paymentsWithoutOutcome(watched: LintInput): RequestedPayment[] {
  const retried = new Set(
    [...findBlindPaymentRetries(watched), ...findBlindGiveBacks(watched)].map(({ first }) => first),
  );
  return groupByPayment(watched.requests).filter((payment) => {
    const { requests } = payment;
    if (payment.payment !== undefined && watched.wasSent(payment.payment)) return false;
    const last = requests.at(-1);
    const end = last && endEntryOf(last);
    if (!end || !hadTimeToAct(watched, end) || requests.some((request) => retried.has(request))) return false;
    if (requests.some((request) => endEntryOf(request) === undefined || isKnownBy(request, payment)))
      return false;
    return requests.some((request) => isOutcomeUnknown(request) || isPaymentUnderWay(request));
  });
}

function groupByPayment(requests: readonly PosRequest[]): RequestedPayment[] {
  const about = requests.filter(
    ({ kind }) => beginsAtTerminal(kind) || kind === 'status' || kind === 'latest',
  );
  const byPayment = Map.groupBy(
    about,
    (request) => request.payment ?? request.key ?? keyAskedFor(request) ?? request.requestId,
  );
  return [...byPayment.values()]
    .filter((all) => all.some(({ kind }) => beginsAtTerminal(kind)))
    .map((all) => ({ payment: all.find(({ payment }) => payment !== undefined)?.payment, requests: all }));
}

function keyAskedFor({ kind, named }: PosRequest): string | undefined {
  const { idempotencyKey } = beginsAtTerminal(kind) ? {} : named;
  return typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
}

/**
 * Whether the answer to this request tells how the payment ended. If the payment request got lost on its way, a 404 to
 * a status request also tells this: no payment was made (B47).
 */
function isKnownBy(request: PosRequest, { payment }: RequestedPayment): boolean {
  const { kind, status } = request;
  return hasOutcome(request) || (kind === 'status' && status === 404 && payment === undefined);
}

function refundsWithoutOutcome(watched: LintInput): Occurrence[] {
  const { requests } = watched;
  return requests
    .filter((request) => request.kind === 'refund' && isOutcomeUnknown(request))
    .filter((request) => {
      const end = endEntryOf(request);
      const looked = ({ kind, path, received }: PosRequest) =>
        (kind === 'refunds' || kind === 'refund') && path === request.path && received.seq > (end?.seq ?? 0);
      return end !== undefined && hadTimeToAct(watched, end) && !requests.some(looked);
    })
    .map((request) =>
      makeRequestOccurrence(
        request,
        `${formatMethodAndPath(request)} ended without an outcome, and the refunds were not listed afterwards`,
      ),
    );
}
