import { isoTime } from '../../../shared/clock.ts';
import { maxMessageRefusals } from '../../../shared/transport/link.ts';
import type { OpenPaymentRow } from '../../store/rows/payments.ts';
import type { RowChange } from '../../store/schema.ts';
import { type Effect, makeJournalEffect, makePaymentEntrySubject } from './effects.ts';
import {
  type DeliveredPayment,
  type LostPayment,
  makeDeliveredState,
  type OpenState,
  type PaymentAtTerminal,
  type WaitingPayment,
} from './states.ts';
import { makeStep, type PaymentFacts, type Step } from './step.ts';

/**
 * Stores that the payment is delivered, and sends the payment only after that. In the opposite order, a terminal might
 * have a payment that is stored as not delivered. After the payment's time limit, nothing is delivered, even if the
 * database could not yet store that the time is over (B63, B68).
 */
export function deliver(state: WaitingPayment, facts: PaymentFacts): Step {
  if (!facts.connected || isTimeLimitOver(state, facts)) return makeStep(state);
  const next = makeDeliveredState(state, facts.now);
  return makeStep(next, {
    records: [makeOpenPaymentUpdate(state, { delivered_at: facts.now })],
    effects: sending(next, false),
  });
}

/** Sends the PaymentRequest. If an abort was requested in the meantime, sends the abort next. */
function sending(state: PaymentAtTerminal, again: boolean): Effect[] {
  const { payment } = state;
  return [
    { do: 'deliver', payment, again },
    ...(state.abortRequestedAt === undefined ? [] : [{ do: 'abort' as const, payment }]),
  ];
}

/**
 * Handles a terminal that is connected again. Asks the terminal about its payment. If an abort was requested in the
 * meantime, sends the abort first (B54, B65).
 */
export function askReconnectedTerminal(state: DeliveredPayment | LostPayment): Step {
  const { payment, abortRequestedAt } = state;
  const abort: Effect[] = abortRequestedAt === undefined ? [] : [{ do: 'abort', payment }];
  return makeStep(state, { effects: [...abort, { do: 'ask', payment }] });
}

/**
 * Asks the terminal about its payment, because the payment's time limit has passed and the terminal is still connected.
 * If the terminal does not answer in time, the payment ends (B66).
 */
export function askAfterTimeLimit(state: DeliveredPayment, facts: PaymentFacts): Step {
  const { payment, unstored } = state;
  const at = facts.monotonic + facts.timeouts.lostAfterLossMs;
  return makeStep(
    { ...state, patience: { giveUpAt: at } },
    {
      effects: [
        { do: 'ask', payment },
        { do: 'arm', timer: 'giveUp', paymentId: payment.id, at },
        ...(unstored ? [makePersistSoonEffect(state)] : []),
      ],
    },
  );
}

/**
 * Starts the deadline at which a lost payment ends. The deadline runs from now on, even if it cannot be stored yet. If
 * the terminal connects and disconnects again without an answer about its payment, the deadline stays the same. With a
 * new deadline each time, the payment might never end.
 */
export function markPaymentLost(
  state: DeliveredPayment,
  facts: PaymentFacts,
  stored: number | null = null,
): Step {
  const { patience: _, is: __, ...held } = state;
  const missing: LostPayment = {
    ...held,
    ...lostPaymentDeadlineOf(state, facts, stored),
    is: 'lost',
    unstored: true,
  };
  return makeStep(missing, {
    effects: [...makeLostPaymentEffects(missing), makePersistSoonEffect(state)],
  });
}

/**
 * Gives the time at which a payment ends if its terminal does not come back. The time that a former process stored is
 * kept (B65), unless it is unusable. A time is unusable if it leaves the terminal too little time to come back, or if
 * it is too far away because the clock was set back (B122).
 */
export function lostPaymentDeadlineOf(
  { payment }: OpenState,
  { now, monotonic, timeouts }: PaymentFacts,
  stored: number | null = null,
) {
  const { lostAfterAcceptanceMs, lostAfterLossMs } = timeouts;
  const storedMs = (stored ?? 0) - now;
  if (stored !== null && storedMs >= lostAfterLossMs && storedMs <= lostAfterAcceptanceMs)
    return { deadlineAt: stored, giveUpAt: monotonic + storedMs };
  const age = monotonic - payment.begunAt;
  const leftMs = Math.max(lostAfterAcceptanceMs - age, lostAfterLossMs);
  return { deadlineAt: Math.round(now + leftMs), giveUpAt: monotonic + leftMs };
}

export function makeLostPaymentEffects({
  payment,
  deadlineAt,
  giveUpAt,
}: Pick<LostPayment, 'payment' | 'deadlineAt' | 'giveUpAt'>): Effect[] {
  const paymentId = payment.id;
  return [
    makeJournalEffect({
      kind: 'payment.lost',
      data: { deadline: isoTime(deadlineAt) },
      about: makePaymentEntrySubject(payment),
    }),
    { do: 'disarm', paymentId, timers: ['ask'] },
    { do: 'arm', timer: 'giveUp', paymentId, at: giveUpAt },
  ];
}

/** Stores the deadline and the number of refusals. So far, both are only in memory. */
export function persistDeadlineAndRefusals(state: PaymentAtTerminal): Step {
  const deadline_at = state.is === 'delivered' ? null : state.deadlineAt;
  return makeStep(
    { ...state, unstored: false },
    { records: [makeOpenPaymentUpdate(state, { deadline_at, refusals: state.refusals })] },
  );
}

/**
 * Counts one more message that could not be read. Either the terminal could not read a request, or the gateway could
 * not read an answer. After the third such message, or after the payment's time limit, the gateway sends nothing more
 * and marks the payment as lost (B63, B67).
 */
export function countUnreadableMessage(
  state: DeliveredPayment | LostPayment,
  facts: PaymentFacts,
  sendAgain: boolean,
): Step {
  const next = { ...state, refusals: state.refusals + 1, unstored: true };
  if (next.is === 'delivered' && (next.refusals >= maxMessageRefusals || isTimeLimitOver(state, facts)))
    return markPaymentLost(next, facts);
  const again = sendAgain && next.is === 'delivered';
  return makeStep(next, {
    effects: [makePersistSoonEffect(state), ...(again ? sending(next, true) : [])],
  });
}

/** Notes that the terminal has the payment and is working on it. */
export function noteInProgress(state: DeliveredPayment | LostPayment, facts: PaymentFacts): Step {
  const { id: paymentId } = state.payment;
  const at = facts.monotonic + facts.timeouts.lostAfterLossMs;
  const late = isTimeLimitOver(state, facts);
  const next: DeliveredPayment = {
    ...here(state),
    onTerminal: true,
    patience: late ? { askAt: at } : undefined,
  };
  return makeStep(next, {
    records: noDeadline(state),
    effects: [
      { do: 'disarm', paymentId, timers: ['giveUp'] },
      ...(late ? [{ do: 'arm' as const, timer: 'ask' as const, paymentId, at }] : []),
    ],
  });
}

/** Sends the payment again to a terminal that no longer has it. */
export function sendAgain(state: DeliveredPayment | LostPayment): Step {
  const next = here(state);
  return makeStep(next, {
    records: noDeadline(state),
    effects: [{ do: 'disarm', paymentId: state.payment.id, timers: ['giveUp'] }, ...sending(next, true)],
  });
}

export function isTimeLimitOver(
  { payment }: OpenState,
  { monotonic, timeouts }: Pick<PaymentFacts, 'monotonic' | 'timeouts'>,
): boolean {
  return monotonic >= payment.begunAt + timeouts.paymentCapMs;
}

export function makeOpenPaymentUpdate({ payment }: OpenState, set: Partial<OpenPaymentRow>): RowChange {
  return { update: 'open_payments', where: { payment_id: payment.id }, set };
}

function here(state: DeliveredPayment | LostPayment): DeliveredPayment {
  if (state.is === 'delivered') return { ...state, patience: undefined };
  const { deadlineAt: _, giveUpAt: __, ...held } = state;
  return { ...held, is: 'delivered', patience: undefined };
}

function noDeadline(state: DeliveredPayment | LostPayment): RowChange[] {
  return state.is === 'lost' ? [makeOpenPaymentUpdate(state, { deadline_at: null })] : [];
}

/**
 * Makes the gateway do the payment's due work at once. If the deadline and the number of refusals are only in memory so
 * far, this work stores them.
 */
export function makePersistSoonEffect({ payment }: OpenState): Effect {
  return { do: 'arm', timer: 'retry', paymentId: payment.id, at: 0 };
}
