import type { JournalDataByKind, JournalEntry } from '../shared/journal.ts';
import type { JournalPlace } from '../shared/journal-cursor.ts';
import { type ControlledGateway, controlClientOf } from './call-control.ts';
import { followJournal, resumePlaceFor } from './follow-journal.ts';
import { type FollowOptions, keepFollowing } from './keep-following.ts';

/** The outcome of a terminal payment. */
export interface TerminalPaymentOutcome {
  /** Milliseconds since 1970. */
  at: number;
  payment: string;
  /** The terminal's poi_id; absent if the gateway no longer knows the terminal. */
  terminal?: string;
  result: 'success' | 'failure';
  errorCondition?: string;
  /** The reason in words for people: which side decided, and by which rule. */
  why: string;
  /**
   * The authorized amount with the tip, or the requested amount if none was authorized; in minor units. Absent for a
   * payment older than the journal.
   */
  amount?: number;
  currency?: string;
}

const kind = 'payment.accepted,ledger.authorized,payment.concluded';

/**
 * Follows the terminal payments of a gateway until `signal` aborts. Calls `onOutcome` once for each payment that is
 * concluded from now on, as soon as the payment has an outcome.
 */
export async function followOutcomes(
  gateway: ControlledGateway & FollowOptions,
  onOutcome: (outcome: TerminalPaymentOutcome) => void,
): Promise<void> {
  const { url, controlToken, signal } = gateway;
  const isNew = await concludedFromNowOn({ url, controlToken });
  const amounts = new Map<string, { amount: number; currency: string }>();
  // The journal is read from its beginning, because its earlier entries have the amounts of payments that are in
  // progress now.
  let since: JournalPlace = 0;
  const take = (entry: JournalEntry, place: JournalPlace) => {
    since = resumePlaceFor(place);
    const { payment } = entry;
    if (payment === undefined) return;
    if (entry.kind === 'payment.accepted' || entry.kind === 'ledger.authorized') {
      const { amount, currency } = entry.data as JournalDataByKind[typeof entry.kind];
      amounts.set(payment, { amount, currency });
    } else if (entry.kind === 'payment.concluded') {
      if (isNew(entry)) onOutcome({ ...outcomeIn(entry, payment), ...amounts.get(payment) });
      amounts.delete(payment);
    }
  };
  const follow = (opened: () => void) =>
    followJournal({ url, controlToken, signal, since, kind }, take, opened);
  await keepFollowing(follow, gateway);
}

/**
 * Returns a function that checks journal entries. The function returns true once for each payment that is concluded
 * after this call, even if the journals of several gateways have the payment.
 */
async function concludedFromNowOn(gateway: ControlledGateway): Promise<(entry: JournalEntry) => boolean> {
  const params = { query: { kind: 'payment.concluded', limit: 10_000 } };
  const { entries } = await controlClientOf(gateway).GET('/control/journal', { params });
  const known = new Set(entries.map(({ payment }) => payment));
  const latest = entries.at(-1)?.at ?? 0;
  return ({ at, payment }) => {
    if (at < latest || known.has(payment)) return false;
    known.add(payment);
    return true;
  };
}

function outcomeIn({ at, terminal, data }: JournalEntry, payment: string): TerminalPaymentOutcome {
  const { result, errorCondition, why } = data as JournalDataByKind['payment.concluded'];
  return { at, payment, terminal, result, errorCondition, why };
}
