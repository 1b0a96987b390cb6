import { decideByTable, type ImpossibleInput, type UnionMemberByIs } from '../../engine/lifecycle-table.ts';
import { expire, expireOnTestRequest, payOutOrFail, planBankRefusal } from './ending.ts';
import {
  type CreditFacts,
  type EndedCredit,
  type ExistingCredit,
  type InitiatedCredit,
  type Input,
  makeStep,
  type State,
  type Step,
} from './step.ts';
import {
  beginVisit,
  countAnswerAsWrong,
  ignoreLateBankAccount,
  setBankAccount,
  unlockLink,
} from './visiting.ts';

type Transition<S, I> = (state: S, input: I, facts: CreditFacts) => Step;

type InputsIn<S> = { [I in Input['is']]: Transition<S, UnionMemberByIs<Input, I>> | ImpossibleInput };
type Lifecycle = { none: InputsIn<{ is: 'none' }> } & {
  [S in Exclude<State['is'], 'none'>]: InputsIn<ExistingCredit<S>>;
};

const nothing = (state: State): Step => makeStep(state);
const missing = (state: State): Step => makeStep(state, { refused: { is: 'missing' } });
const over = (state: State): Step => makeStep(state, { refused: { is: 'over' } });
const noVisits: ImpossibleInput = { impossible: 'there is no link to visit' };
const madeOnce: ImpossibleInput = { impossible: 'a new credit always has a new identifier' };

const ended: InputsIn<EndedCredit> = {
  made: madeOnce,
  answerTried: over,
  answeredRight: unlockLink,
  bankNamed: ignoreLateBankAccount,
  accepted: over,
  refusalSet: over,
  expiryAsked: over,
  due: nothing,
};

/**
 * The life of a credit and of the visits of its link. For each state, the table says how each input is handled
 * (B93–B101).
 */
export const lifecycle: Lifecycle = {
  none: {
    made: (_, { credit }) =>
      makeStep(
        { is: 'initiated', credit },
        {
          records: [{ insert: 'credits', row: credit }],
          effects: [{ do: 'awaitExpiry', credit }],
          told: true,
        },
      ),
    answerTried: missing,
    answeredRight: noVisits,
    bankNamed: noVisits,
    accepted: missing,
    refusalSet: missing,
    expiryAsked: missing,
    due: nothing,
  },
  initiated: {
    made: madeOnce,
    answerTried: inTime(countAnswerAsWrong),
    answeredRight: beginVisit,
    bankNamed: setBankAccount,
    accepted: inTime(payOutOrFail),
    refusalSet: inTime(planBankRefusal),
    expiryAsked: inTime(expireOnTestRequest),
    due: expire,
  },
  completed: ended,
  expired: ended,
  failed: ended,
};

/**
 * Makes a transition that is allowed only until the link expires. After the expiry time the link counts as expired,
 * even if the expiry is not stored yet.
 */
function inTime<I>(transition: Transition<InitiatedCredit, I>): Transition<InitiatedCredit, I> {
  return (state, input, facts) => (facts.inTime ? transition(state, input, facts) : over(state));
}

/**
 * Decides what an input does to a credit. This function only computes the changes. So it can be called again if the
 * database refuses the changes.
 */
export function decide(state: State, input: Input, facts: CreditFacts): Step {
  return decideByTable('a credit', lifecycle, state, input, facts);
}
