import type { UnwrittenEntry } from '../../../shared/journal.ts';
import type { CreditRow, CreditState, VerifiedCreditVisitorRow } from '../../store/rows/credits.ts';
import type { RowChange } from '../../store/schema.ts';
import type { BankDetails } from '../bank-details.ts';

/** The state of a credit, with its row on disk. If there is no such credit, the state is `none`. */
export type State = { readonly is: 'none' } | ExistingCredit<CreditState>;

/** A credit that exists. */
export interface ExistingCredit<Is extends CreditState> {
  readonly is: Is;
  readonly credit: CreditRow;
}

export type InitiatedCredit = ExistingCredit<'initiated'>;
export type EndedCredit = ExistingCredit<Exclude<CreditState, 'initiated'>>;

/**
 * The inputs of a credit: everything that can happen to a credit. Some inputs come from customers who open the
 * credit's link.
 */
export type Input =
  /** A request for a new credit was checked. `credit` is the row to store. */
  | { is: 'made'; credit: CreditRow }
  /**
   * A customer gives an answer to the question. The gateway counts an answer before it checks the answer. So every
   * answer is counted, even if several answers arrive at once.
   */
  | { is: 'answerTried' }
  /** The answer was right. `visit` is the row of the visit that now begins in the customer's browser. */
  | { is: 'answeredRight'; visit: VerifiedCreditVisitorRow }
  /**
   * A customer has named a bank account. If `bank` is undefined, the customer has removed the account, to name another
   * account.
   */
  | { is: 'bankNamed'; visitId: string; bank: BankDetails | undefined }
  | { is: 'accepted'; to: BankDetails }
  /**
   * A test plans that the bank will refuse the money later (`refusalSet`), or makes the link expire now
   * (`expiryAsked`).
   */
  | { is: 'refusalSet'; reason: string }
  | { is: 'expiryAsked' }
  /** The credit's link was not used in time. */
  | { is: 'due' };

/** The values that a decision needs in addition to the credit's state. */
export interface CreditFacts {
  readonly now: number;
  /** True until the link expires. The expiry time decides, even if the expiry is not stored yet (B96). */
  readonly inTime: boolean;
  /** The time until which the link is locked after too many wrong answers; undefined if the link is not locked. */
  readonly lockedUntil: number | undefined;
  readonly lockMs: number;
}

/** An action that is carried out after the step was stored. The actions are carried out in the order of the list. */
export type Effect =
  | { do: 'journal'; note: UnwrittenEntry }
  /** Sets the timer for the credit's expiry, or stops it. */
  | { do: 'awaitExpiry'; credit: CreditRow }
  | { do: 'forgetExpiry'; creditId: string };

/**
 * The reason why an input has no effect. `missing`: there is no such credit. `over`: the credit has ended or expired.
 * `locked`: there were too many wrong answers.
 */
type Refusal = { is: 'missing' } | { is: 'over' } | { is: 'locked'; until: number };

/** The result of a decision. If `records` cannot be stored, no part of the step happens. */
export interface Step {
  readonly state: State;
  readonly records: readonly RowChange[];
  readonly effects: readonly Effect[];
  /** Whether the credit has changed its state. If so, a journal entry and an event are made (B105). */
  readonly told: boolean;
  readonly refused?: Refusal;
}

export function makeStep(state: State, more: Partial<Omit<Step, 'state'>> = {}): Step {
  return { state, records: [], effects: [], told: false, ...more };
}

export function stateOf(credit: CreditRow | undefined): State {
  return credit ? { is: credit.state, credit } : { is: 'none' };
}

/** Makes the journal entry for an action of a customer at the link. */
export function makeVisitJournalEffect(creditId: string, what: string): Effect {
  const about = { payment: creditId, unauthenticated: true } as const;
  return { do: 'journal', note: { kind: 'credit.visited', data: { what }, about } };
}
