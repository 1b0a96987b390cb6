import { closeCodes, LinkProtocolError, maxMessageRefusals } from '../../../shared/transport/link.ts';
import { makeOutcomeRowChanges } from '../../acquirer/outcomes.ts';
import {
  conclude,
  lacksRequiredConnection,
  makeGatewayFailure,
  makeUnconnectedFailure,
  makeWatchTerminalEffect,
  readTerminalVerdict,
} from './concluding.ts';
import {
  askAfterTimeLimit,
  deliver,
  isTimeLimitOver,
  lostPaymentDeadlineOf,
  makeLostPaymentEffects,
  makeOpenPaymentUpdate,
  markPaymentLost,
  persistDeadlineAndRefusals,
  sendAgain,
} from './delivering.ts';
import type {
  AbandonedPayment,
  DeliveredPayment,
  LostPayment,
  PaymentAtTerminal,
  WaitingPayment,
} from './states.ts';
import {
  type Input,
  joinSteps,
  makeStep,
  type PaymentFacts,
  type Step,
  type TerminalAnswer,
  unwrapTerminalAnswer,
} from './step.ts';

type InputOf<Name> = Extract<Input, { is: Name }>;

/** Ends a payment with the terminal's answer. */
export function endWithAnswer(
  state: WaitingPayment | DeliveredPayment | LostPayment,
  { terminal, serviceId, ...answer }: InputOf<'answered'>,
  facts: PaymentFacts,
): Step {
  const { payment } = state;
  if (payment.terminalId !== terminal.id) throw breach(`payment ${payment.id} belongs to another terminal`);
  if (state.is === 'waiting' || payment.serviceId !== serviceId)
    throw breach(`PaymentResponse ${serviceId} does not answer any PaymentRequest`);
  return concludeBy(state, answer, facts);
}

export function endWithRepeatedAnswer(
  state: DeliveredPayment | LostPayment,
  answer: InputOf<'repeated'>,
  facts: PaymentFacts,
): Step {
  if (unwrapTerminalAnswer(answer).SaleData.SaleTransactionID.TransactionID !== state.payment.id)
    throw breach('TransactionStatusResponse repeats another payment');
  return concludeBy(state, answer, facts);
}

function concludeBy(
  state: DeliveredPayment | LostPayment,
  answer: TerminalAnswer,
  facts: PaymentFacts,
): Step {
  const { payment } = state;
  if ('reversal' in answer !== (payment.kind === 'reversal'))
    throw breach(`the terminal's answer for ${payment.id} is of a different kind than the request`);
  return conclude(state, readTerminalVerdict(payment, answer), facts);
}

/**
 * Handles a terminal's report that it does not know the payment. If the payment may still be sent, the gateway sends it
 * again. Otherwise the payment ends (B65).
 */
export function resendOrEnd(state: DeliveredPayment | LostPayment, _: unknown, facts: PaymentFacts): Step {
  if (state.refusals >= maxMessageRefusals) return makeStep(state); // the deadline already runs
  const aborted = state.abortRequestedAt !== undefined;
  if (!aborted && !isTimeLimitOver(state, facts)) return sendAgain(state);
  const why = aborted
    ? 'the terminal does not know the payment, and an abort of the payment had been requested'
    : 'the terminal does not know the payment, and there was no time left to deliver the payment again';
  return conclude(state, makeGatewayFailure(state.payment, 'DeviceOut', why, facts), facts);
}

/**
 * Counts the payment as lost, unless the terminal is connected again.
 *
 * A reversal ends if the terminal closed the connection because it could not read the reversal. Only a terminal of an
 * older release cannot read reversals. It would close the connection at each reversal, so it cannot have carried the
 * reversal out (B493).
 */
export function handleConnectionEnd(
  state: DeliveredPayment,
  { unread }: InputOf<'linkDown'>,
  facts: PaymentFacts,
): Step {
  const { payment, onTerminal } = state;
  if (unread && payment.kind === 'reversal' && !onTerminal) {
    const why = 'the terminal cannot read a reversal, because its software is an older release';
    return conclude(state, makeGatewayFailure(payment, 'UnavailableService', why, facts), facts);
  }
  return facts.connected ? makeStep(state) : markPaymentLost(state, facts);
}

export function rejectUnaskedAnswer({ payment }: WaitingPayment): Step {
  throw breach(`the terminal answers for payment ${payment.id}, which was not delivered to the terminal`);
}

/**
 * Aborts a payment that was not delivered. The payment ends at once. After the delivery, only the terminal can abort
 * the payment (B54).
 */
export function abortUndelivered(state: WaitingPayment, _: unknown, facts: PaymentFacts): Step {
  const why = 'the merchant aborted the payment before it was delivered';
  const aborted = { ...state, abortRequestedAt: facts.now };
  return conclude(aborted, makeGatewayFailure(state.payment, 'Aborted', why, facts), facts);
}

/** Stores that an abort was requested. Then sends the abort to the terminal, unless the terminal was deleted. */
export function requestAbort(state: PaymentAtTerminal, _: unknown, { now }: PaymentFacts): Step {
  const effects = state.is === 'abandoned' ? [] : [{ do: 'abort' as const, payment: state.payment }];
  if (state.abortRequestedAt !== undefined) return makeStep(state, { effects });
  const next = { ...state, abortRequestedAt: now };
  return makeStep(next, { records: [makeOpenPaymentUpdate(state, { abort_requested_at: now })], effects });
}

/** Forgets a deleted terminal and the outcome that was set for it. */
export function forgetTerminal(
  state: Step['state'],
  { terminal }: InputOf<'terminalDeleted'>,
  facts: PaymentFacts,
): Step {
  const outcomes = facts.outcomes.terminal ? [{ clear: terminal.id }] : [];
  return makeStep(state, {
    records: [
      { delete: 'terminals', where: { id: terminal.id } },
      ...makeOutcomeRowChanges(outcomes, facts.now),
    ],
    outcomes,
    effects: [{ do: 'forget', terminal }],
  });
}

export function endOnTerminalDeletion(
  state: WaitingPayment,
  input: InputOf<'terminalDeleted'>,
  facts: PaymentFacts,
): Step {
  const why = 'the terminal was deleted before the payment was delivered';
  const ended = conclude(state, makeGatewayFailure(state.payment, 'Aborted', why, facts), facts);
  return joinSteps(forgetTerminal(state, input, facts), ended);
}

/** Handles the deletion of a terminal that has a delivered payment. The payment ends as lost at its deadline (B8). */
export function abandonOnTerminalDeletion(
  state: DeliveredPayment | LostPayment,
  input: InputOf<'terminalDeleted'>,
  facts: PaymentFacts,
): Step {
  const { deliveredAt, abortRequestedAt, onTerminal, refusals, payment, attempts } = state;
  const running =
    state.is === 'lost' ? { deadlineAt: state.deadlineAt, giveUpAt: state.giveUpAt } : undefined;
  const until = running ?? lostPaymentDeadlineOf(state, facts);
  const terminalDeletedAt = facts.now;
  const next: AbandonedPayment = {
    is: 'abandoned',
    payment,
    attempts,
    deliveredAt,
    abortRequestedAt,
    onTerminal,
    refusals,
    ...until,
    terminalDeletedAt,
    unstored: false,
  };
  const abandoned = makeStep(next, {
    records: [
      makeOpenPaymentUpdate(state, { terminal_deleted_at: terminalDeletedAt, deadline_at: until.deadlineAt }),
    ],
    effects: [
      makeWatchTerminalEffect(state.payment, false),
      ...(running ? [] : makeLostPaymentEffects(next)),
    ],
  });
  return joinSteps(forgetTerminal(state, input, facts), abandoned);
}

export function handleTimerWhileWaiting(state: WaitingPayment, _: unknown, facts: PaymentFacts): Step {
  if (lacksRequiredConnection(state.payment, facts))
    return conclude(state, makeUnconnectedFailure(state.payment, facts), facts);
  if (!isTimeLimitOver(state, facts)) return deliver(state, facts);
  const why = 'the terminal was not reached in time';
  return conclude(state, makeGatewayFailure(state.payment, 'UnreachableHost', why, facts), facts);
}

export function handleTimerWhileDelivered(state: DeliveredPayment, _: unknown, facts: PaymentFacts): Step {
  if ((giveUpTimeOf(state) ?? Number.POSITIVE_INFINITY) <= facts.monotonic) return giveUp(state, facts);
  const { patience } = state;
  const askAt = patience && 'askAt' in patience ? patience.askAt : undefined;
  const toAsk =
    patience === undefined ? isTimeLimitOver(state, facts) : askAt !== undefined && facts.monotonic >= askAt;
  // The terminal may connect again before the gateway handles the end of the former connection. In this case the
  // payment would stay delivered, and nothing would end it. So the payment is marked as lost here if the terminal is
  // not connected.
  if (toAsk) return facts.connected ? askAfterTimeLimit(state, facts) : markPaymentLost(state, facts);
  return state.unstored ? persistDeadlineAndRefusals(state) : makeStep(state);
}

export function handleTimerWhileMissing(
  state: LostPayment | AbandonedPayment,
  _: unknown,
  facts: PaymentFacts,
): Step {
  if (facts.monotonic >= state.giveUpAt) return giveUp(state, facts);
  return state.unstored ? persistDeadlineAndRefusals(state) : makeStep(state);
}

/**
 * Gives the time at which the payment ends if the terminal does not answer. Returns undefined if the terminal was not
 * asked.
 */
export function giveUpTimeOf({ patience }: DeliveredPayment): number | undefined {
  return patience && 'giveUpAt' in patience ? patience.giveUpAt : undefined;
}

function giveUp(state: PaymentAtTerminal, facts: PaymentFacts): Step {
  const why =
    state.is === 'delivered'
      ? 'the terminal stayed connected, but did not send an outcome of the payment'
      : 'the connection to the terminal was lost, and the terminal sent no answer in time';
  return conclude(state, makeGatewayFailure(state.payment, 'DeviceOut', why, facts), facts);
}

function breach(reason: string): LinkProtocolError {
  return new LinkProtocolError(closeCodes.policy, reason);
}
