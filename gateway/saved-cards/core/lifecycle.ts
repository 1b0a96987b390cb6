import { decideByTable, type ImpossibleInput, type UnionMemberByIs } from '../../engine/lifecycle-table.ts';
import { isOwnedBy, type Owner } from '../../store/ownership.ts';
import { capture, charge, hold, makeReleaseTransition } from './charging.ts';
import { decideRefund } from './refund-lifecycle.ts';
import { closeToRefunds, setBlockedRefundAmount } from './refund-limits.ts';
import {
  type DebitFacts,
  type DebitInput,
  type ExistingDebit,
  type Input,
  makeRefusedStep,
  makeUnchangedStep,
  type State,
  type Step,
  type StoredDebit,
  stateOf,
} from './step.ts';

type Transition<S, I> = (state: S, input: I, facts: DebitFacts) => Step;

type InputsIn<S> = {
  [I in DebitInput['is']]: Transition<S, UnionMemberByIs<DebitInput, I>> | ImpossibleInput;
};
type Lifecycle = { none: InputsIn<UnionMemberByIs<State, 'none'>> } & {
  [S in Exclude<State['is'], 'none'>]: InputsIn<ExistingDebit<S>>;
};

const missing = (): Step => makeRefusedStep({}, { is: 'missing' });
const over = (state: ExistingDebit): Step => makeRefusedStep(state, { is: 'over' });
const madeOnce: ImpossibleInput = { impossible: 'a new debit always has a new identifier' };
const neverGone: ImpossibleInput = { impossible: 'debits are never deleted' };

const ended: InputsIn<ExistingDebit> = {
  chargeOrdered: madeOnce,
  holdOrdered: madeOnce,
  captureAsked: owned(over),
  expiryAsked: over,
  blockAsked: setBlockedRefundAmount,
  closeAsked: closeToRefunds,
  due: makeUnchangedStep,
};

/** The life of a debit: for each state, how each input is handled (B70–B76, B86). Refunds have a table of their own. */
export const lifecycle: Lifecycle = {
  none: {
    chargeOrdered: charge,
    holdOrdered: hold,
    captureAsked: missing,
    expiryAsked: missing,
    blockAsked: missing,
    closeAsked: missing,
    due: neverGone,
  },
  preauthorized: {
    chargeOrdered: madeOnce,
    holdOrdered: madeOnce,
    captureAsked: owned(inTime(capture)),
    expiryAsked: makeReleaseTransition('a test let the authorization expire'),
    blockAsked: setBlockedRefundAmount,
    closeAsked: closeToRefunds,
    due: makeReleaseTransition('the authorization was not captured in time'),
  },
  paid: ended,
  failed: ended,
  voided: ended,
};

/**
 * Makes a transition that is allowed only for the debit's own caller. Another caller does not learn that the debit
 * exists (B7).
 */
function owned<S extends ExistingDebit, I extends { caller: Owner }>(
  transition: Transition<S, I>,
): Transition<S, I> {
  return (state, input, facts) =>
    isOwnedBy(state.stored.debit, input.caller) ? transition(state, input, facts) : missing();
}

/**
 * Makes a transition that is allowed only until the authorization expires. After that time the authorization is over,
 * even if the release of the amount is not stored yet.
 */
function inTime<S extends ExistingDebit, I>(transition: Transition<S, I>): Transition<S, I> {
  return (state, input, facts) =>
    facts.inTime ? transition(state, input, facts) : makeRefusedStep(state, { is: 'late' });
}

/**
 * Decides what an input does to a debit or one of its refunds. This function changes nothing, so it can decide again if
 * the database refuses the changes.
 */
export function decide(stored: StoredDebit | undefined, input: Input, facts: DebitFacts): Step {
  if (input.of === 'refund') return decideRefund(stored, input, facts);
  const state = stateOf(stored);
  return decideByTable('a debit', lifecycle, state, input, facts);
}

/** Returns whether the decision needs the debit's card. */
export function needsCard(stored: StoredDebit | undefined, input: Input): boolean {
  if (!stored) return false;
  const { debit, refunds } = stored;
  if (input.is === 'captureAsked') return debit.state === 'preauthorized' && isOwnedBy(debit, input.caller);
  if (input.of === 'debit' || input.is === 'failAsked') return false;
  if (input.is === 'ordered') return debit.state === 'paid' && isOwnedBy(debit, input.caller);
  return refunds.some(({ id, status }) => id === input.id && status === 'processing');
}
