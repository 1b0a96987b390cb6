import { asRecord } from '../journal-fields.ts';
import type { PosRequest } from '../requests/read-requests.ts';
import {
  endOf,
  entriesOf,
  type LintRule,
  leftUnknown,
  nameOf,
  patienceMs,
  type Seen,
  type Watched,
} from './rule.ts';

/** A payment with everything the point of sale asked about it. */
interface Sale {
  readonly payment: string | undefined;
  readonly requests: readonly PosRequest[];
}

/** A 303 is concluded by polling the status (B41). */
export const ignored303: LintRule = {
  id: 'ignored-303',
  severity: 'error',
  why: 'the payment continued after 150 seconds, so the customer may have paid without your noticing',
  fix: 'after a 303 (and a 202) ask GET /payment-requests/status until it answers 200',
  check: (watched) =>
    salesWithoutOutcome(watched)
      .filter(({ requests }) => requests.at(-1)?.answered?.data.status === 303)
      .map((sale) => seen(sale, 'was answered 303, and its status was never requested')),
};

/** The status endpoint is there to recover from any interruption (B47). */
export const unknownOutcome: LintRule = {
  id: 'unknown-outcome',
  severity: 'error',
  why: 'the customer may have been charged: giving up loses money, or charges twice',
  fix: 'after a hang-up, a timeout or a 5xx, ask for the status by the key (for refunds: list them) until there is an answer',
  check: (watched) => [
    ...salesWithoutOutcome(watched)
      .filter(({ requests }) => requests.at(-1)?.answered?.data.status !== 303)
      .map((sale) => seen(sale, 'ended without an outcome, and the POS did not ask again')),
    ...refundsWithoutOutcome(watched),
  ],
};

function seen({ payment, requests }: Sale, what: string): Seen {
  const last = requests.at(-1);
  return { what: `${last ? nameOf(last) : ''} ${what}`, entries: requests.flatMap(entriesOf), payment };
}

/** Accepted payments whose outcome the point of sale neither received nor still asks for. */
function salesWithoutOutcome({ requests, until }: Watched): Sale[] {
  return sales(requests).filter(({ requests: all }) => {
    const last = all.at(-1);
    const end = last && endOf(last);
    if (!end || until - end.at < patienceMs) return false;
    if (all.some((request) => endOf(request) === undefined || reportsOutcome(request))) return false;
    return all.some((request) => leftUnknown(request) || isUnderWay(request));
  });
}

function sales(requests: readonly PosRequest[]): Sale[] {
  const byPayment = new Map<string, PosRequest[]>();
  for (const request of requests) {
    if (!['payment', 'status', 'latest'].includes(request.kind)) continue;
    const of = request.payment ?? request.key ?? request.query.get('idempotencyKey') ?? request.requestId;
    byPayment.set(of, [...(byPayment.get(of) ?? []), request]);
  }
  return [...byPayment.values()]
    .filter((all) => all.some(({ kind }) => kind === 'payment'))
    .map((all) => ({ payment: all.find(({ payment }) => payment !== undefined)?.payment, requests: all }));
}

/** A result, or that there never was a payment: the request got lost on its way (B47). */
function reportsOutcome({ kind, answered }: PosRequest): boolean {
  if (kind === 'status' && answered?.data.status === 404) return true;
  return answered?.data.status === 200 && asRecord(answered.data.body).response !== undefined;
}

function isUnderWay({ answered }: PosRequest): boolean {
  return answered?.data.status === 303 || answered?.data.status === 202;
}

function refundsWithoutOutcome({ requests, until }: Watched): Seen[] {
  return requests
    .filter((request) => request.kind === 'refund' && leftUnknown(request))
    .filter((request) => {
      const end = endOf(request);
      const looked = ({ kind, path, received }: PosRequest) =>
        (kind === 'refunds' || kind === 'refund') && path === request.path && received.seq > (end?.seq ?? 0);
      return end !== undefined && until - end.at >= patienceMs && !requests.some(looked);
    })
    .map((request) => ({
      what: `${nameOf(request)} ended without an outcome, and the refunds were not listed afterwards`,
      entries: entriesOf(request),
      payment: request.payment,
    }));
}
