import { decideByTable, type ImpossibleInput, type UnionMemberByIs } from '../../engine/lifecycle-table.ts';
import type { RefundStatus } from '../../store/rows/refunds.ts';
import {
  failOnTestRequest,
  orderRefund,
  rejectRefund,
  submitOnTestRequest,
  submitOrFail,
} from './refunding.ts';
import {
  type DebitFacts,
  type ExistingRefund,
  makeRefusedStep,
  makeUnchangedStep,
  type RefundInput,
  type RefundState,
  refundStateOf,
  type Step,
  type StoredDebit,
} from './step.ts';

type Transition<S, I> = (state: S, input: I, facts: DebitFacts) => Step;

type InputsIn<S> = {
  [I in RefundInput['is']]: Transition<S, UnionMemberByIs<RefundInput, I>> | ImpossibleInput;
};
type Lifecycle = { [S in RefundState['is']]: InputsIn<UnionMemberByIs<RefundState, S>> };

const missing = (): Step => makeRefusedStep({}, { is: 'missing' });
const over = (state: ExistingRefund<RefundStatus>): Step => ({
  ...makeRefusedStep(state, { is: 'over' }),
  refund: state.refund,
});
const madeOnce: ImpossibleInput = { impossible: 'a new refund always has a new identifier' };
const neverGone: ImpossibleInput = { impossible: 'refunds are never deleted' };

/**
 * The life of a refund: for each state, how each input is handled (B82–B90). The inputs of a debit and of its refunds
 * wait in the same queue.
 */
export const refundLifecycle: Lifecycle = {
  none: {
    ordered: orderRefund,
    submitAsked: missing,
    failAsked: missing,
    due: neverGone,
  },
  processing: {
    ordered: madeOnce,
    submitAsked: submitOnTestRequest,
    failAsked: failOnTestRequest,
    due: atItsMoment(submitOrFail),
  },
  submitted: {
    ordered: madeOnce,
    submitAsked: over,
    failAsked: failOnTestRequest,
    due: atItsMoment(rejectRefund),
  },
  failed: {
    ordered: madeOnce,
    submitAsked: over,
    failAsked: over,
    due: makeUnchangedStep,
  },
};

/**
 * Makes a transition for a timer. The transition is allowed only if the timer was set for the time that is stored now.
 */
function atItsMoment<S extends ExistingRefund<RefundStatus>>(
  transition: Transition<S, UnionMemberByIs<RefundInput, 'due'>>,
): Transition<S, UnionMemberByIs<RefundInput, 'due'>> {
  return (state, input, facts) =>
    state.refund.due_at === input.dueAt ? transition(state, input, facts) : makeUnchangedStep(state);
}

/** Decides what an input does to a refund of a debit. */
export function decideRefund(stored: StoredDebit | undefined, input: RefundInput, facts: DebitFacts): Step {
  const state = refundStateOf(stored, input.is === 'ordered' ? undefined : input.id);
  return decideByTable('a refund', refundLifecycle, state, input, facts);
}
