import type { LedgerRow } from '../store/rows/acquirer.ts';
import { type LedgerEntryValueGenerator, type LedgerSubject, makeLedgerEntry } from './entries.ts';

/** An issuer's answer: an approval or a refusal, with the rule that decided and the reason in words. */
export interface IssuerAnswer {
  rule: string;
  why: string;
  refusal?: { declineCode: string; responseCode: string; message: string };
}

/**
 * The entry columns that the decision about the next entry needs. Memory has only these columns, because a debit may
 * have many refunds, and whole entries would take too much memory.
 */
export type DebitEntryInMemory = Pick<LedgerRow, 'kind' | 'amount' | 'psp_reference' | 'refund_id'>;

/** The sums of a debit's entries, in minor units. */
interface DebitStanding {
  authorized: DebitEntryInMemory | undefined;
  /** Whether the authorization was reversed. */
  reversed: boolean;
  captured: number;
  /** The money that was given back to the cardholder. Refunds that the cardholder's bank returned are not counted. */
  refunded: number;
}

type Entries = readonly DebitEntryInMemory[];

/** The time of a new entry, and the random numbers from which the entry's values are made. */
interface Making {
  readonly now: number;
  readonly dice: LedgerEntryValueGenerator;
}

/*
 * The following functions make the issuer's entries for debits of saved cards. The entries are in the same ledger as
 * the entries of terminal payments. A function gets the present entries of a debit and makes the next ones. It throws
 * if the debit would get a second authorization or capture, or if more would be refunded than was captured.
 */

/** Makes the first entry of a debit: an authorization or a refusal. */
export function bookAuthorization(
  entries: Entries,
  debit: LedgerSubject,
  amount: number,
  answer: IssuerAnswer,
  making: Making,
): LedgerRow {
  insist(entries.length === 0, `debit ${debit.id} is already authorized or declined`);
  if (answer.refusal) return decline(debit, amount, answer, making);
  const { rule, why } = answer;
  const auth_code = making.dice.authCode();
  return makeLedgerEntry(debit, making, { kind: 'authorized', amount, auth_code, rule, why });
}

/**
 * Captures the authorized amount, so that the merchant gets it. If the issuer refuses the capture, the function makes
 * an entry for the refusal, and another entry that reverses the authorization.
 */
export function bookCapture(
  entries: Entries,
  debit: LedgerSubject,
  answer: IssuerAnswer,
  making: Making,
): LedgerRow[] {
  const { authorized, reversed, captured } = standing(entries);
  insist(authorized && !reversed && captured === 0, `debit ${debit.id} holds nothing to capture`);
  const { amount, psp_reference } = authorized;
  if (answer.refusal) {
    const declined = decline(debit, amount, answer, making);
    return [declined, bookRelease([...entries, declined], debit, 'its capture was declined', making)];
  }
  const { rule, why } = answer;
  return [makeLedgerEntry(debit, making, { kind: 'captured', amount, psp_reference, rule, why })];
}

/** Reverses an authorization that was not captured. */
export function bookRelease(entries: Entries, debit: LedgerSubject, why: string, making: Making): LedgerRow {
  const { authorized, reversed, captured } = standing(entries);
  insist(authorized && !reversed && captured === 0, `debit ${debit.id} holds nothing to release`);
  const { amount, psp_reference } = authorized;
  return makeLedgerEntry(debit, making, { kind: 'reversed', amount, psp_reference, rule: 'release', why });
}

/** Takes the money of a refund from the merchant, to give it to the cardholder. */
export function bookRefund(
  entries: Entries,
  debit: LedgerSubject,
  refund: { id: string; amount: number },
  why: string,
  making: Making,
): LedgerRow {
  const { captured, refunded } = standing(entries);
  const { id: refund_id, amount } = refund;
  insist(!moveOf(entries, refund_id, 'refunded'), `refund ${refund_id} has already moved its amount`);
  insist(refunded + amount <= captured, `debit ${debit.id} has less than this amount left to refund`);
  return makeLedgerEntry(debit, making, { kind: 'refunded', amount, refund_id, rule: 'refund', why });
}

/** Gives the money of a refund back to the merchant, because the cardholder's bank rejected the refund. */
export function bookReturnedRefund(
  entries: Entries,
  debit: LedgerSubject,
  refund: { id: string; amount: number },
  why: string,
  making: Making,
): LedgerRow {
  const { id: refund_id, amount } = refund;
  const moved = moveOf(entries, refund_id, 'refunded');
  insist(moved?.amount === amount, `refund ${refund_id} did not move this amount`);
  insist(!moveOf(entries, refund_id, 'returned'), `refund ${refund_id} has already returned its amount`);
  const { psp_reference } = moved;
  return makeLedgerEntry(debit, making, {
    kind: 'returned',
    amount,
    refund_id,
    psp_reference,
    rule: 'return',
    why,
  });
}

function decline(debit: LedgerSubject, amount: number, answer: IssuerAnswer, making: Making): LedgerRow {
  const { rule, why, refusal } = answer;
  return makeLedgerEntry(debit, making, {
    kind: 'declined',
    amount,
    rule,
    why,
    error_condition: 'Refusal',
    refusal_reason: `${refusal?.responseCode} ${refusal?.message}`,
    message: refusal?.declineCode ?? null,
  });
}

/** Returns the columns of an entry that are kept in memory. */
export function toDebitEntryInMemory({
  kind,
  amount,
  psp_reference,
  refund_id,
}: LedgerRow): DebitEntryInMemory {
  return { kind, amount, psp_reference, refund_id };
}

function standing(entries: Entries): DebitStanding {
  const standing: DebitStanding = { authorized: undefined, reversed: false, captured: 0, refunded: 0 };
  for (const entry of entries) {
    if (entry.kind === 'authorized') standing.authorized = entry;
    else if (entry.kind === 'captured') standing.captured += entry.amount;
    else if (entry.kind === 'refunded') standing.refunded += entry.amount;
    else if (entry.kind === 'returned') standing.refunded -= entry.amount;
    else if (entry.kind === 'reversed') standing.reversed = true;
  }
  return standing;
}

function moveOf(entries: Entries, refundId: string, kind: LedgerRow['kind']): DebitEntryInMemory | undefined {
  return entries.find((entry) => entry.refund_id === refundId && entry.kind === kind);
}

function insist(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new Error(`the acquirer's ledger refuses the entry: ${otherwise}`);
}
