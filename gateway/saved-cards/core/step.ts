import type { UnwrittenEntry } from '../../../shared/journal.ts';
import type { AmountFault } from '../../../shared/money.ts';
import type { Timeouts } from '../../../shared/timeouts.ts';
import { type DebitEntryInMemory, toDebitEntryInMemory } from '../../acquirer/debit-ledger.ts';
import {
  type LedgerEntryValueGenerator,
  type LedgerSubject,
  makeLedgerEntryInsertion,
} from '../../acquirer/entries.ts';
import type { Owner } from '../../store/ownership.ts';
import type { LedgerRow } from '../../store/rows/acquirer.ts';
import type { RefundLimitRow, RefundRow, RefundStatus } from '../../store/rows/refunds.ts';
import type { DebitRow, DebitState, SavedCardRow } from '../../store/rows/saved-cards.ts';
import type { RowChange } from '../../store/schema.ts';

/**
 * Everything that is stored about a debit and its refunds. Decisions are based on this object, which is never changed,
 * only replaced.
 */
export interface StoredDebit {
  readonly debit: DebitRow;
  readonly entries: readonly DebitEntryInMemory[];
  /** The refunds, the oldest first. */
  readonly refunds: readonly RefundRow[];
  readonly limit: RefundLimitRow | undefined;
}

/** The state of a debit. `none` means that there is no such debit. */
export type State = { readonly is: 'none' } | ExistingDebit<DebitState>;

/** A debit that exists. */
export interface ExistingDebit<Is extends DebitState = DebitState> {
  readonly is: Is;
  readonly stored: StoredDebit;
}

/** The state of a refund. `none` means that the debit has no such refund, or that there is no such debit. */
export type RefundState =
  | { readonly is: 'none'; readonly stored: StoredDebit | undefined }
  | ExistingRefund<RefundStatus>;

/** A refund that exists. */
export interface ExistingRefund<Is extends RefundStatus> {
  readonly is: Is;
  readonly stored: StoredDebit;
  readonly refund: RefundRow;
}

/** The inputs of a debit: everything that can happen to a debit. */
export type DebitInput = { of: 'debit' } & (
  | /** A checked request for a charge or, with `holdOrdered`, for a preauthorization. `debit` is the new debit. */
  { is: 'chargeOrdered'; debit: DebitRow; card: SavedCardRow }
  | { is: 'holdOrdered'; debit: DebitRow; card: SavedCardRow }
  | { is: 'captureAsked'; caller: Owner }
  /** A test has requested that the preauthorization is released now. */
  | { is: 'expiryAsked' }
  /** An operator blocks this amount from being refunded, or allows no further refunds (`closeAsked`). */
  | { is: 'blockAsked'; amount: number; reason: string }
  | { is: 'closeAsked'; reason: string }
  /** The preauthorization was not captured in time. */
  | { is: 'due' }
);

/**
 * The inputs of a refund: everything that can happen to a refund. They wait in the same queue as the inputs of the
 * refund's debit.
 */
export type RefundInput = { of: 'refund' } & (
  | /** A request for a refund. `amount` is in major units. `currency` is used only if the debit does not exist or does not belong to the caller. */
  {
      is: 'ordered';
      caller: Owner;
      amount: number;
      currency: string;
      reason: string;
      reasonDetails: string | null;
    }
  /** A test submits the refund to the customer's bank now (`submitAsked`), or makes the refund fail (`failAsked`). */
  | { is: 'submitAsked'; id: string }
  | { is: 'failAsked'; id: string; why: string }
  /** The time `dueAt` has come. The refund now goes to its next status. */
  | { is: 'due'; id: string; dueAt: number }
);

export type Input = DebitInput | RefundInput;

/**
 * The values that a decision uses in addition to the stored debit and the input. They include random numbers for the
 * acquirer.
 */
export interface DebitFacts {
  readonly now: number;
  readonly dice: LedgerEntryValueGenerator;
  /**
   * Whether there is still time to capture the preauthorization. When that time is over, this is false even if the
   * release of the amount is not stored yet (B75).
   */
  readonly inTime: boolean;
  /** The debit's card in its present state. It is set only if the decision needs the card ({@link needsCard}). */
  readonly card: SavedCardRow | undefined;
  readonly timeouts: Pick<Timeouts, 'authorizationMs' | 'refundSubmitMs' | 'refundRejectionMs'>;
}

/**
 * An action that is carried out after a step is stored. The actions are carried out in the order in which the step
 * lists them.
 */
export type Effect =
  /** Sets or stops the timer that releases the preauthorization. */
  | { do: 'awaitExpiry'; debit: DebitRow }
  | { do: 'forgetExpiry'; debitId: string }
  /** Sets or stops the timer for the refund's next status. */
  | { do: 'awaitRefund'; refund: RefundRow }
  | { do: 'forgetRefund'; refundId: string }
  | { do: 'journal'; note: UnwrittenEntry };

/** The reason why an input has no effect. */
export type InputRefusal =
  /** There is no such debit or refund, or it belongs to another caller. */
  | { is: 'missing' }
  /** The state of the debit or refund does not allow the input. */
  | { is: 'over' }
  /** The time limit for the capture is over. */
  | { is: 'late' }
  /** The requested number is not a valid amount in this currency. */
  | { is: 'noAmount'; fault: AmountFault; currency: string }
  /** The debit allows no further refunds. */
  | { is: 'closed'; reason: string }
  /** The requested amount is larger than the amount that can still be refunded or blocked. */
  | { is: 'tooMuch' };

/** The result of a decision. If `records` cannot be stored, no part of the step takes effect. */
export interface Step {
  /** The debit as it will be stored; undefined if there is no such debit. */
  readonly stored: StoredDebit | undefined;
  /** The refund that the input is about. */
  readonly refund?: RefundRow;
  /** The step's new entries in the acquirer's ledger. `records` also contains them. */
  readonly entries: readonly LedgerRow[];
  readonly records: readonly RowChange[];
  readonly effects: readonly Effect[];
  /**
   * The object whose state has changed: the debit or a refund. The change is reported by a journal entry and an event
   * (B103, B105).
   */
  readonly told?: 'debit' | 'refund';
  readonly refused?: InputRefusal;
}

/** Makes the step for an input that changes nothing. */
export function makeUnchangedStep({ stored }: { stored?: StoredDebit | undefined }): Step {
  return { stored, entries: [], records: [], effects: [] };
}

export function makeRefusedStep(state: { stored?: StoredDebit | undefined }, refusal: InputRefusal): Step {
  return { ...makeUnchangedStep(state), refused: refusal };
}

/** Makes the step for an input that changes something. `change` and the acquirer's entries are stored together. */
export function makeStep(
  stored: StoredDebit,
  change: RowChange,
  entries: readonly LedgerRow[],
  more: Pick<Step, 'refund' | 'effects' | 'told'>,
): Step {
  return {
    stored: { ...stored, entries: [...stored.entries, ...entries.map(toDebitEntryInMemory)] },
    entries,
    records: [...entries.map(makeLedgerEntryInsertion), change],
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

/** Returns the fields of a debit that the acquirer's entries need. */
export function makeDebitLedgerSubject({
  id,
  account_id: accountId,
  environment,
  currency,
}: DebitRow): LedgerSubject {
  return { id, accountId, environment, currency };
}
