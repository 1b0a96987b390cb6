import { decideByTable, type ImpossibleInput, type UnionMemberByIs } from '../../engine/lifecycle-table.ts';
import {
  acceptOrRefuseUnconnected,
  deliverPaymentOfAnotherGateway,
  recoverAbandoned,
  recoverDelivered,
  recoverLostPayment,
  recoverWaiting,
  refuseWhileBusy,
} from './accepting.ts';
import {
  askReconnectedTerminal,
  countUnreadableMessage,
  deliver,
  isTimeLimitOver,
  noteInProgress,
} from './delivering.ts';
import {
  abandonOnTerminalDeletion,
  abortUndelivered,
  endOnTerminalDeletion,
  endWithAnswer,
  endWithRepeatedAnswer,
  forgetTerminal,
  giveUpTimeOf,
  handleConnectionEnd,
  handleTimerWhileDelivered,
  handleTimerWhileMissing,
  handleTimerWhileWaiting,
  rejectUnaskedAnswer,
  requestAbort,
  resendOrEnd,
} from './ending.ts';
import { answerAsHost, handleLateAnswer, ignoreDeletedTerminalResult, noteWrongPin } from './hosting.ts';
import type { State } from './states.ts';
import { type Input, joinSteps, makeStep, type PaymentFacts, type Step } from './step.ts';

type Transition<S, I> = (state: S, input: I, facts: PaymentFacts) => Step;

type Lifecycle = {
  [S in State['is']]: {
    [I in Input['is']]: Transition<UnionMemberByIs<State, S>, UnionMemberByIs<Input, I>> | ImpossibleInput;
  };
};

const nothing = (state: State): Step => makeStep(state);
const neverSent: ImpossibleInput = { impossible: 'nothing was sent to the terminal' };
const onNoTerminal: ImpossibleInput = { impossible: 'the payment is on no terminal' };
const nothingLeft: ImpossibleInput = { impossible: 'nothing was left open' };

/** The life of a payment: for each state, how each input is handled. */
export const lifecycle: Lifecycle = {
  none: {
    accepted: acceptOrRefuseUnconnected,
    offered: deliverPaymentOfAnotherGateway,
    linkUp: nothing,
    linkDown: nothing,
    requestTaken: nothing,
    requestRefused: nothing,
    answerUnreadable: nothing,
    answered: handleLateAnswer,
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
    answered: endWithAnswer,
    repeated: rejectUnaskedAnswer,
    inProgress: rejectUnaskedAnswer,
    notFound: rejectUnaskedAnswer,
    pinEntered: nothing,
    hostAsked: answerAsHost,
    abortAsked: abortUndelivered,
    terminalDeleted: endOnTerminalDeletion,
    due: handleTimerWhileWaiting,
    recovered: recoverWaiting,
  },
  delivered: {
    accepted: refuseWhileBusy,
    offered: nothing,
    linkUp: askReconnectedTerminal,
    linkDown: handleConnectionEnd,
    requestTaken: (state) => makeStep({ ...state, onTerminal: true }),
    requestRefused: (state, _, facts) => countUnreadableMessage(state, facts, true),
    answerUnreadable: (state, _, facts) => countUnreadableMessage(state, facts, false),
    answered: endWithAnswer,
    repeated: endWithRepeatedAnswer,
    inProgress: (state, _, facts) => noteInProgress(state, facts),
    notFound: resendOrEnd,
    pinEntered: noteWrongPin,
    hostAsked: answerAsHost,
    abortAsked: requestAbort,
    terminalDeleted: abandonOnTerminalDeletion,
    due: handleTimerWhileDelivered,
    recovered: recoverDelivered,
  },
  lost: {
    accepted: refuseWhileBusy,
    offered: nothing,
    linkUp: askReconnectedTerminal,
    linkDown: nothing,
    requestTaken: (state) => makeStep({ ...state, onTerminal: true }),
    requestRefused: (state, _, facts) => countUnreadableMessage(state, facts, false),
    answerUnreadable: (state, _, facts) => countUnreadableMessage(state, facts, false),
    answered: endWithAnswer,
    repeated: endWithRepeatedAnswer,
    inProgress: (state, _, facts) => noteInProgress(state, facts),
    notFound: resendOrEnd,
    pinEntered: noteWrongPin,
    hostAsked: answerAsHost,
    abortAsked: requestAbort,
    terminalDeleted: abandonOnTerminalDeletion,
    due: handleTimerWhileMissing,
    recovered: recoverLostPayment,
  },
  abandoned: {
    accepted: onNoTerminal,
    offered: nothing,
    linkUp: onNoTerminal,
    linkDown: nothing,
    requestTaken: nothing,
    requestRefused: nothing,
    answerUnreadable: onNoTerminal,
    answered: (state, { terminal }) => ignoreDeletedTerminalResult(state, terminal, state.payment.id),
    repeated: onNoTerminal,
    inProgress: onNoTerminal,
    notFound: onNoTerminal,
    pinEntered: nothing,
    hostAsked: answerAsHost,
    abortAsked: requestAbort,
    terminalDeleted: onNoTerminal,
    due: handleTimerWhileMissing,
    recovered: recoverAbandoned,
  },
};

/**
 * Decides what an input does to a payment. This function changes nothing, so it can be called again if the database
 * refuses the changes. If a deadline has passed and this could not be stored yet, the function handles the deadline
 * before the input (B68).
 *
 * @throws LinkProtocolError if the terminal may not send this message
 * @throws UnreadableMessageError if the message cannot be read
 */
export function decide(state: State, input: Input, facts: PaymentFacts): Step {
  if (input.is === 'due' || input.is === 'recovered' || !overdue(state, facts))
    return transition(state, input, facts);
  const first = transition(state, { is: 'due' }, facts);
  return joinSteps(first, transition(first.state, input, { ...facts, stored: first.concluded?.as }));
}

function transition(state: State, input: Input, facts: PaymentFacts): Step {
  return decideByTable('a payment', lifecycle, state, input, facts);
}

/** Returns whether the payment must end now. */
function overdue(state: State, facts: PaymentFacts): boolean {
  if (state.is === 'none') return false;
  if (state.is === 'waiting') return isTimeLimitOver(state, facts);
  const giveUpAt = state.is === 'delivered' ? giveUpTimeOf(state) : state.giveUpAt;
  return giveUpAt !== undefined && facts.monotonic >= giveUpAt;
}
