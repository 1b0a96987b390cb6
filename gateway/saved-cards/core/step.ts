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

/**
 * Everything that is stored of a debit. Decisions about the debit and its refunds are made from it. The object is
 * replaced, never changed.
 */
export interface StoredDebit {
  readonly debit: DebitRow;
  readonly entries: readonly DebitEntry[];
  /** The refunds, the oldest first. */
  readonly refunds: readonly RefundRow[];
  readonly limit: RefundLimitRow | undefined;
}

/** The state of a debit. `none`: there is no such debit. */
export type State = { readonly is: 'none' } | Existing<DebitState>;

/** A debit that exists. */
export interface Existing<Is extends DebitState = DebitState> {
  readonly is: Is;
  readonly stored: StoredDebit;
}

/** The state of a refund. `none`: its debit has no such refund, or there is no such debit. */
export type RefundState =
  | { readonly is: 'none'; readonly stored: StoredDebit | undefined }
  | ExistingRefund<RefundStatus>;

/** A refund that exists. */
export interface ExistingRefund<Is extends RefundStatus> {
  readonly is: Is;
  readonly stored: StoredDebit;
  readonly refund: RefundRow;
}

/** The inputs of a debit. */
export type DebitInput = { of: 'debit' } & (
  | /** A checked request to charge a card, or to hold an amount of it; `debit` is what it would be, if the issuer approves. */
  { is: 'chargeOrdered'; debit: DebitRow; card: CreditCardRow }
  | { is: 'holdOrdered'; debit: DebitRow; card: CreditCardRow }
  | { is: 'captureAsked'; caller: Owner }
  /** A test wants the hold released now. */
  | { is: 'expiryAsked' }
  /** An operator blocks this amount of the debit, or all of it, from being refunded. */
  | { is: 'blockAsked'; amount: number; reason: string }
  | { is: 'closeAsked'; reason: string }
  /** The hold was not captured in time. */
  | { is: 'due' }
);

/** The inputs of a refund, in the turn of its debit. */
export type RefundInput = { of: 'refund' } & (
  | /** A request with an amount in major units, which only the debit can check; `currency` counts if the debit is not the caller's. */
  {
      is: 'ordered';
      caller: Owner;
      amount: number;
      currency: string;
      reason: string;
      reasonDetails: string | null;
    }
  /** A test sends the refund to the customer's bank now, or makes it fail. */
  | { is: 'submitAsked'; id: string }
  | { is: 'failAsked'; id: string; why: string }
  /** The moment `dueAt` has come, at which the refund moves on without a request. */
  | { is: 'due'; id: string; dueAt: number }
);

export type Input = DebitInput | RefundInput;

/** The facts that a decision needs besides the stored debit: values, and the acquirer's random numbers. */
export interface Facts {
  readonly now: number;
  readonly dice: Dice;
  /**
   * Whether the hold can still be captured in time. The end of that time counts, not the moment at which the release is
   * stored (B75).
   */
  readonly inTime: boolean;
  /** The debit's card in its present state, if the decision needs it ({@link needsCard}). */
  readonly card: CreditCardRow | undefined;
  readonly timeouts: Pick<Timeouts, 'authorizationMs' | 'refundSubmitMs' | 'refundRejectionMs'>;
}

/** The effects of a step, carried out in their order once the step is on disk. */
export type Effect =
  /** Starts the timer that releases the hold, or stops it. */
  | { do: 'awaitExpiry'; debit: DebitRow }
  | { do: 'forgetExpiry'; debitId: string }
  /** Starts the timer that moves the refund on, or stops it. */
  | { do: 'awaitRefund'; refund: RefundRow }
  | { do: 'forgetRefund'; refundId: string }
  | { do: 'journal'; note: Note };

/** Why an input has no effect. */
export type Refusal =
  /** There is no such debit or refund, or it does not belong to the caller. */
  | { is: 'missing' }
  /** The state of the debit or refund does not allow it. */
  | { is: 'over' }
  /** The time for the capture is over. */
  | { is: 'late' }
  /** The requested number is not an amount of the currency. */
  | { is: 'noAmount'; fault: AmountFault; currency: string }
  /** The debit is closed to refunds. */
  | { is: 'closed'; reason: string }
  /** Less than the requested amount is left to refund, or to block. */
  | { is: 'tooMuch' };

/** The result of an input: either all of `records` is on disk, or nothing of it has happened. */
export interface Step {
  /** The debit as it is stored with the records; undefined if there is no such debit. */
  readonly stored: StoredDebit | undefined;
  /** The refund to which the input belongs. */
  readonly refund?: RefundRow;
  /** The acquirer's entries among the records. */
  readonly entries: readonly LedgerRow[];
  readonly records: readonly Change[];
  readonly effects: readonly Effect[];
  /**
   * Whether the debit or the refund has just changed its state, which is journaled and published with the records
   * (B103, B105).
   */
  readonly told?: 'debit' | 'refund';
  readonly refused?: Refusal;
}

/** The step of an input that changes nothing. */
export function nothing({ stored }: { stored?: StoredDebit | undefined }): Step {
  return { stored, entries: [], records: [], effects: [] };
}

export function refused(state: { stored?: StoredDebit | undefined }, refusal: Refusal): Step {
  return { ...nothing(state), refused: refusal };
}

/** The step of an input that changes something: `change` is stored, with the entries that were made for it. */
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

/** Gives the debit as the subject of the acquirer's entries. */
export function subjectOf({ id, account_id: accountId, environment, currency }: DebitRow): LedgerSubject {
  return { id, accountId, environment, currency };
}
