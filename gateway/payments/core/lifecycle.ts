import {
  accept,
  recoverAbandoned,
  recoverDelivered,
  recoverLost,
  recoverWaiting,
  refuseWhileBusy,
  takeUpOffer,
} from './accepting.ts';
import { askAgain, capPassed, countRefusal, deliver, goesOn } from './delivering.ts';
import {
  abandon,
  abort,
  abortUndelivered,
  answered,
  deleteUndelivered,
  dueDelivered,
  dueMissing,
  dueWaiting,
  forgetTerminal,
  giveUpMomentOf,
  linkEnded,
  notFound,
  rejectUnaskedAnswer,
  repeated,
} from './ending.ts';
import { answerAsHost, lateAnswer, pinEntered, putAside } from './hosting.ts';
import type { State } from './states.ts';
import { type Input, joinSteps, type PaymentFacts, type Step, step } from './step.ts';

type Of<Union extends { is: string }, Name> = Extract<Union, { is: Name }>;
type Transition<S, I> = (state: S, input: I, facts: PaymentFacts) => Step;

/** Marks an input that cannot occur in a state. `impossible` is the reason. */
interface Impossible {
  impossible: string;
}

type Lifecycle = {
  [S in State['is']]: {
    [I in Input['is']]: Transition<Of<State, S>, Of<Input, I>> | Impossible;
  };
};

const nothing = (state: State): Step => step(state);
const neverSent: Impossible = { impossible: 'nothing was sent to the terminal' };
const onNoTerminal: Impossible = { impossible: 'the payment is on no terminal' };
const nothingLeft: Impossible = { impossible: 'nothing was left open' };

/** The life of a payment: for each state, how each input is handled. */
export const lifecycle: Lifecycle = {
  none: {
    accepted: accept,
    offered: takeUpOffer,
    linkUp: nothing,
    linkDown: nothing,
    requestTaken: nothing,
    requestRefused: nothing,
    answerUnreadable: nothing,
    answered: lateAnswer,
    repeated: nothing,
    inProgress: nothing,
    notFound: nothing,
    pinEntered: nothing,
    hostAsked: answerAsHost,
    abortAsked: nothing,
    terminalDeleted: forgetTerminal,
    due: nothing,
    recovered: nothingLeft,
  },
  waiting: {
    accepted: refuseWhileBusy,
    offered: nothing,
    linkUp: (state, _, facts) => deliver(state, facts),
    linkDown: nothing,
    requestTaken: neverSent,
    requestRefused: neverSent,
    answerUnreadable: nothing,
    answered,
    repeated: rejectUnaskedAnswer,
    inProgress: rejectUnaskedAnswer,
    notFound: rejectUnaskedAnswer,
    pinEntered: nothing,
    hostAsked: answerAsHost,
    abortAsked: abortUndelivered,
    terminalDeleted: deleteUndelivered,
    due: dueWaiting,
    recovered: recoverWaiting,
  },
  delivered: {
    accepted: refuseWhileBusy,
    offered: nothing,
    linkUp: askAgain,
    linkDown: linkEnded,
    requestTaken: (state) => step({ ...state, onTerminal: true }),
    requestRefused: (state, _, facts) => countRefusal(state, facts, true),
    answerUnreadable: (state, _, facts) => countRefusal(state, facts, false),
    answered,
    repeated,
    inProgress: (state, _, facts) => goesOn(state, facts),
    notFound,
    pinEntered,
    hostAsked: answerAsHost,
    abortAsked: abort,
    terminalDeleted: abandon,
    due: dueDelivered,
    recovered: recoverDelivered,
  },
  lost: {
    accepted: refuseWhileBusy,
    offered: nothing,
    linkUp: askAgain,
    linkDown: nothing,
    requestTaken: (state) => step({ ...state, onTerminal: true }),
    requestRefused: (state, _, facts) => countRefusal(state, facts, false),
    answerUnreadable: (state, _, facts) => countRefusal(state, facts, false),
    answered,
    repeated,
    inProgress: (state, _, facts) => goesOn(state, facts),
    notFound,
    pinEntered,
    hostAsked: answerAsHost,
    abortAsked: abort,
    terminalDeleted: abandon,
    due: dueMissing,
    recovered: recoverLost,
  },
  abandoned: {
    accepted: onNoTerminal,
    offered: nothing,
    linkUp: onNoTerminal,
    linkDown: nothing,
    requestTaken: nothing,
    requestRefused: nothing,
    answerUnreadable: onNoTerminal,
    answered: (state, { terminal }) => putAside(state, terminal, state.payment.id),
    repeated: onNoTerminal,
    inProgress: onNoTerminal,
    notFound: onNoTerminal,
    pinEntered: nothing,
    hostAsked: answerAsHost,
    abortAsked: abort,
    terminalDeleted: onNoTerminal,
    due: dueMissing,
    recovered: recoverAbandoned,
  },
};

/**
 * Decides what an input does to a payment. The decision is pure, so it can be made again if the database refuses its
 * changes. If a deadline is over and that could not be stored yet, the step of the deadline comes first (B68).
 *
 * @throws LinkError if the terminal may not send this message
 * @throws UnreadableMessage if the message cannot be read
 */
export function decide(state: State, input: Input, facts: PaymentFacts): Step {
  if (input.is === 'due' || input.is === 'recovered' || !overdue(state, facts))
    return transition(state, input, facts);
  const first = transition(state, { is: 'due' }, facts);
  return joinSteps(first, transition(first.state, input, { ...facts, stored: first.concluded?.as }));
}

function transition(state: State, input: Input, facts: PaymentFacts): Step {
  const chosen = lifecycle[state.is][input.is] as Transition<State, Input> | Impossible;
  if (typeof chosen === 'function') return chosen(state, input, facts);
  throw new Error(`the input ${input.is} is impossible for a payment that is ${state.is}: ${chosen.impossible}`);
}

/** Returns whether the payment must end now. */
function overdue(state: State, facts: PaymentFacts): boolean {
  if (state.is === 'none') return false;
  if (state.is === 'waiting') return capPassed(state, facts);
  const giveUpAt = state.is === 'delivered' ? giveUpMomentOf(state) : state.giveUpAt;
  return giveUpAt !== undefined && facts.monotonic >= giveUpAt;
}
