import type { JournalEntry, JournalKinds } from '../shared/journal.ts';
import type { ControlledGateway } from './call-control.ts';
import { followJournal, latestSeq } from './follow-journal.ts';

/** How a terminal payment ended. */
export interface PaymentOutcome {
  /** Milliseconds since 1970. */
  at: number;
  payment: string;
  /** The poi_id; absent where the gateway does not know it any more. */
  terminal?: string;
  result: 'success' | 'failure';
  errorCondition?: string;
  /** Who decided and by which rule, for people. */
  why: string;
  /** Authorized, tip included, or requested where nothing was; minor units. Absent for a payment older than the journal. */
  amount?: number;
  currency?: string;
}

/** Calls `onOutcome` with the outcome of every terminal payment of a gateway, as it happens, until `signal` aborts. */
export async function followOutcomes(
  gateway: ControlledGateway & { signal: AbortSignal },
  onOutcome: (outcome: PaymentOutcome) => void,
): Promise<void> {
  const { url, controlToken } = gateway;
  const begun = await latestSeq({ url, controlToken });
  const amounts = new Map<string, { amount: number; currency: string }>();
  // From the journal's beginning: a payment under way was accepted before.
  const kind = 'payment.accepted,ledger.authorized,payment.concluded';
  await followJournal({ ...gateway, since: 0, kind }, (entry) => {
    const { payment } = entry;
    if (payment === undefined) return;
    if (entry.kind === 'payment.accepted' || entry.kind === 'ledger.authorized') {
      const { amount, currency } = entry.data as JournalKinds[typeof entry.kind];
      amounts.set(payment, { amount, currency });
    } else if (entry.kind === 'payment.concluded') {
      if (entry.seq > begun) onOutcome({ ...outcomeIn(entry, payment), ...amounts.get(payment) });
      amounts.delete(payment);
    }
  });
}

function outcomeIn({ at, terminal, data }: JournalEntry, payment: string): PaymentOutcome {
  const { result, errorCondition, why } = data as JournalKinds['payment.concluded'];
  return { at, payment, terminal, result, errorCondition, why };
}
