import type { Note } from '../../../shared/journal.ts';
import type { CreditRow, CreditState, CreditVisitRow } from '../../store/rows/credits.ts';
import type { Change } from '../../store/schema.ts';
import type { BankDetails } from '../bank-details.ts';

/** The state of a credit, with its row on disk. `none`: there is no such credit. */
export type State = { readonly is: 'none' } | Existing<CreditState>;

/** A credit that exists. */
export interface Existing<Is extends CreditState> {
  readonly is: Is;
  readonly credit: CreditRow;
}

export type InitiatedCredit = Existing<'initiated'>;
export type EndedCredit = Existing<Exclude<CreditState, 'initiated'>>;

/** The inputs of a credit, and of the customers at its link. */
export type Input =
  /** A checked request; `credit` is the credit that it would make. */
  | { is: 'made'; credit: CreditRow }
  /**
   * A customer tries an answer. The try is counted before the answer is checked, so that simultaneous tries are counted
   * one by one.
   */
  | { is: 'answerTried' }
  /** The answer that was tried is the right one; `visit` is the browser that gave it. */
  | { is: 'answeredRight'; visit: CreditVisitRow }
  /** A customer names a bank account, or is about to name another one. */
  | { is: 'bankNamed'; visitId: string; bank: BankDetails | undefined }
  | { is: 'accepted'; to: BankDetails }
  /** A test wants the bank to refuse, or the link to expire now. */
  | { is: 'refusalSet'; reason: string }
  | { is: 'expiryAsked' }
  /** The credit's link was not used in time. */
  | { is: 'due' };

/** The facts that a decision needs beside the state. */
export interface Facts {
  readonly now: number;
  /**
   * Whether the link has not expired yet. The time of expiry counts, not the time at which the expiry is stored (B96).
   */
  readonly inTime: boolean;
  /** The end of the lock after too many wrong answers, while there is one. */
  readonly lockedUntil: number | undefined;
  readonly lockMs: number;
}

/** The effects of a step, carried out in their order once the step is on disk. */
export type Effect =
  | { do: 'journal'; note: Note }
  /** Starts the timer for the credit's expiry, or stops it. */
  | { do: 'awaitExpiry'; credit: CreditRow }
  | { do: 'forgetExpiry'; creditId: string };

/** Why an input has no effect. `over`: the credit has ended, or has expired. */
type Refusal = { is: 'missing' } | { is: 'over' } | { is: 'locked'; until: number };

/** The result of an input: either all of `records` is on disk, or nothing of it has happened. */
export interface Step {
  readonly state: State;
  readonly records: readonly Change[];
  readonly effects: readonly Effect[];
  /** Whether the credit has just changed its state, which is journaled and published with the records (B105). */
  readonly told: boolean;
  readonly refused?: Refusal;
}

export function step(state: State, more: Partial<Omit<Step, 'state'>> = {}): Step {
  return { state, records: [], effects: [], told: false, ...more };
}

export function stateOf(credit: CreditRow | undefined): State {
  return credit ? { is: credit.state, credit } : { is: 'none' };
}

/** Makes the effect that notes an act of a customer at the link in the journal. */
export function visited(creditId: string, what: string): Effect {
  const about = { payment: creditId, unauthenticated: true } as const;
  return { do: 'journal', note: { kind: 'credit.visited', data: { what }, about } };
}
