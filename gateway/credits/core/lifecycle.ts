import { expire, expireNow, payOut, planRefusal } from './ending.ts';
import {
  type CreditFacts,
  type EndedCredit,
  type Existing,
  type InitiatedCredit,
  type Input,
  type State,
  type Step,
  step,
} from './step.ts';
import { countTry, letIn, nameBank, nameTooLate, unlock } from './visiting.ts';

type Of<Union extends { is: string }, Name> = Extract<Union, { is: Name }>;
type Transition<S, I> = (state: S, input: I, facts: CreditFacts) => Step;

/** Marks an input that cannot occur in a state. The text says why it cannot. */
interface Impossible {
  impossible: string;
}

type InputsIn<S> = { [I in Input['is']]: Transition<S, Of<Input, I>> | Impossible };
type Lifecycle = { none: InputsIn<{ is: 'none' }> } & {
  [S in Exclude<State['is'], 'none'>]: InputsIn<Existing<S>>;
};

const nothing = (state: State): Step => step(state);
const missing = (state: State): Step => step(state, { refused: { is: 'missing' } });
const over = (state: State): Step => step(state, { refused: { is: 'over' } });
const noVisits: Impossible = { impossible: 'there is no link to visit' };
const madeOnce: Impossible = { impossible: 'a new credit always has a new identifier' };

const ended: InputsIn<EndedCredit> = {
  made: madeOnce,
  answerTried: over,
  answeredRight: unlock,
  bankNamed: nameTooLate,
  accepted: over,
  refusalSet: over,
  expiryAsked: over,
  due: nothing,
};

/** The life of a credit and of the visits of its link. It says for each state how each input is handled (B93–B101). */
export const lifecycle: Lifecycle = {
  none: {
    made: (_, { credit }) =>
      step(
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
    answerTried: inTime(countTry),
    answeredRight: letIn,
    bankNamed: nameBank,
    accepted: inTime(payOut),
    refusalSet: inTime(planRefusal),
    expiryAsked: inTime(expireNow),
    due: expire,
  },
  completed: ended,
  expired: ended,
  failed: ended,
};

/**
 * Makes a transition that is allowed only until the link expires. After that time the link counts as expired, even if
 * this is not stored yet.
 */
function inTime<I>(transition: Transition<InitiatedCredit, I>): Transition<InitiatedCredit, I> {
  return (state, input, facts) => (facts.inTime ? transition(state, input, facts) : over(state));
}

/**
 * Decides what an input does to a credit. It changes nothing itself, so it can be called again if the database refuses
 * the changes.
 */
export function decide(state: State, input: Input, facts: CreditFacts): Step {
  const chosen = lifecycle[state.is][input.is] as Transition<State, Input> | Impossible;
  if (typeof chosen === 'function') return chosen(state, input, facts);
  throw new Error(`the input ${input.is} is impossible for a credit that is ${state.is}: ${chosen.impossible}`);
}
