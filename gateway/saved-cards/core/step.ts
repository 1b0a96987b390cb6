import type { Note } from '../../../shared/journal.ts';
import type { AmountFault } from '../../../shared/money.ts';
import type { Timeouts } from '../../../shared/timeouts.ts';
import { type DebitEntry, debitEntry } from '../../acquirer/debit-ledger.ts';
import { type Dice, insertEntry, type LedgerSubject } from '../../acquirer/entries.ts';
import type { Owner } from '../../store/ownership.ts';
import type { LedgerRow } from '../../store/rows/acquirer.ts';
import type { RefundLimitRow, RefundRow, RefundStatus } from '../../store/rows/refunds.ts';
import type { CreditCardRow, DebitRow, DebitState } from '../../store/rows/saved-cards.ts';
import type { Change } from '../../store/schema.ts';

/** All that is stored of a debit: what is decided about it or its refunds is decided on this. Replaced, never changed. */
export interface StoredDebit {
  readonly debit: DebitRow;
  readonly entries: readonly DebitEntry[];
  /** The oldest first. */
  readonly refunds: readonly RefundRow[];
  readonly limit: RefundLimitRow | undefined;
}

/** Where a debit stands. `none`: there is no such debit. */
export type State = { readonly is: 'none' } | Existing<DebitState>;

/** A debit that was made. */
export interface Existing<Is extends DebitState = DebitState> {
  readonly is: Is;
  readonly stored: StoredDebit;
}

/** Where a refund stands. `none`: its debit has no such refund, or there is no such debit. */
export type RefundState =
  | { readonly is: 'none'; readonly stored: StoredDebit | undefined }
  | ExistingRefund<RefundStatus>;

/** A refund that was made. */
export interface ExistingRefund<Is extends RefundStatus> {
  readonly is: Is;
  readonly stored: StoredDebit;
  readonly refund: RefundRow;
}

/** What can happen to a debit. */
export type DebitInput = { of: 'debit' } & (
  | /** A checked request to charge a card, or to hold an amount of it; `debit` is what it would be, if the issuer approves. */
  { is: 'chargeOrdered'; debit: DebitRow; card: CreditCardRow }
  | { is: 'holdOrdered'; debit: DebitRow; card: CreditCardRow }
  | { is: 'captureAsked'; caller: Owner }
  /** A test wants what is held released now. */
  | { is: 'expiryAsked' }
  /** An operator keeps so much of it, or all of it, from being refunded. */
  | { is: 'blockAsked'; amount: number; reason: string }
  | { is: 'closeAsked'; reason: string }
  /** What it holds was not captured in time. */
  | { is: 'due' }
);

/** What can happen to a refund, in the turn of its debit. */
export type RefundInput = { of: 'refund' } & (
  | /** A request, of which only the debit can say whether its amount is one: in major units; `currency` if it is not the caller's. */
  {
      is: 'ordered';
      caller: Owner;
      amount: number;
      currency: string;
      reason: string;
      reasonDetails: string | null;
    }
  /** A test sends it to the customer's bank now, or has it fail. */
  | { is: 'submitAsked'; id: string }
  | { is: 'failAsked'; id: string; why: string }
  /** What happens to it by itself at its moment, which was `dueAt`. */
  | { is: 'due'; id: string; dueAt: number }
);

export type Input = DebitInput | RefundInput;

/** What a decision stands on beside what is stored: values, and the acquirer's dice. */
export interface Facts {
  readonly now: number;
  readonly dice: Dice;
  /** The time to capture it is not over. It counts, not the time at which the release is stored (B75). */
  readonly inTime: boolean;
  /** The card of the debit as it is now, where the decision needs it ({@link needsCard}). */
  readonly card: CreditCardRow | undefined;
  readonly timeouts: Pick<Timeouts, 'authorizationMs' | 'refundSubmitMs' | 'refundRejectionMs'>;
}

/** What follows once a step is on disk, in its order. */
export type Effect =
  /** From now on what it holds is released by itself, or no more. */
  | { do: 'awaitExpiry'; debit: DebitRow }
  | { do: 'forgetExpiry'; debitId: string }
  /** From now on the refund goes on by itself, or no more. */
  | { do: 'awaitRefund'; refund: RefundRow }
  | { do: 'forgetRefund'; refundId: string }
  | { do: 'journal'; note: Note };

/** Why an input does nothing. */
export type Refusal =
  /** There is none, or it is not the caller's. */
  | { is: 'missing' }
  /** Its state does not allow it. */
  | { is: 'over' }
  /** The time to capture it is over. */
  | { is: 'late' }
  /** What is asked for is no amount of its currency. */
  | { is: 'noAmount'; fault: AmountFault; currency: string }
  /** The debit is closed to refunds. */
  | { is: 'closed'; reason: string }
  /** Less than that is left to refund, or to keep from it. */
  | { is: 'tooMuch' };

/** What an input comes to: all of `records` is on disk, or nothing of it has happened. */
export interface Step {
  /** What is stored of the debit once the records are; undefined if there is no such debit. */
  readonly stored: StoredDebit | undefined;
  /** The refund it is about. */
  readonly refund?: RefundRow;
  /** The acquirer's entries among the records. */
  readonly entries: readonly LedgerRow[];
  readonly records: readonly Change[];
  readonly effects: readonly Effect[];
  /** What has come into its state: that is journaled and published with the records (B103, B105). */
  readonly told?: 'debit' | 'refund';
  readonly refused?: Refusal;
}

/** Nothing happens. */
export function nothing({ stored }: { stored?: StoredDebit | undefined }): Step {
  return { stored, entries: [], records: [], effects: [] };
}

export function refused(state: { stored?: StoredDebit | undefined }, refusal: Refusal): Step {
  return { ...nothing(state), refused: refusal };
}

/** Something happens: `change` is stored, with the entries that were made for it. */
export function step(
  stored: StoredDebit,
  change: Change,
  entries: readonly LedgerRow[],
  more: Pick<Step, 'refund' | 'effects' | 'told'>,
): Step {
  return {
    stored: { ...stored, entries: [...stored.entries, ...entries.map(debitEntry)] },
    entries,
    records: [...entries.map(insertEntry), change],
    ...more,
  };
}

export function stateOf(stored: StoredDebit | undefined): State {
  return stored ? { is: stored.debit.state, stored } : { is: 'none' };
}

export function refundStateOf(stored: StoredDebit | undefined, id: string | undefined): RefundState {
  const refund = stored?.refunds.find((each) => each.id === id);
  return stored && refund ? { is: refund.status, stored, refund } : { is: 'none', stored };
}

/** Whose entries the acquirer makes. */
export function subjectOf({ id, account_id: accountId, environment, currency }: DebitRow): LedgerSubject {
  return { id, accountId, environment, currency };
}
