import type { PaymentRow } from '../../store/rows/payments.ts';
import {
  conclude,
  lacksRequiredConnection,
  makeBusyRefusal,
  makeUnconnectedFailure,
  makeUnconnectedRefusal,
  makeWatchTerminalEffect,
} from './concluding.ts';
import {
  isTimeLimitOver,
  lostPaymentDeadlineOf,
  makeLostPaymentEffects,
  makePersistSoonEffect,
  markPaymentLost,
} from './delivering.ts';
import { type Effect, makeJournalEffect, makePaymentEntrySubject, makePaymentKindField } from './effects.ts';
import { makeGivenBackIncrease } from './giving-back.ts';
import {
  type AbandonedPayment,
  type DeliveredPayment,
  type LostPayment,
  makeDeliveredState,
  makeWaitingState,
  type OpenState,
  type Payment,
  type State,
  type WaitingPayment,
} from './states.ts';
import { type Input, makeStep, type PaymentFacts, type Step } from './step.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;
type Offered = Extract<Input, { is: 'offered' }>;
type Recovered = Extract<Input, { is: 'recovered' }>;

/**
 * Accepts a payment. If the payment needs a connected terminal and the terminal is not connected, refuses the payment.
 */
export function acceptOrRefuseUnconnected(state: State, input: Accepted, facts: PaymentFacts): Step {
  if (lacksRequiredConnection(input.payment, facts)) return refuseUnconnected(state, input, facts);
  return acceptPayment(state, input, facts);
}

/** Accepts a payment. If its terminal is connected, the same commit also stores that the payment is delivered (B64). */
export function acceptPayment(_: unknown, input: Accepted, facts: PaymentFacts): Step {
  const { row, payment, requestId, taken = 0 } = input;
  const state = facts.connected
    ? makeDeliveredState(makeWaitingState(payment), row.accepted_at)
    : makeWaitingState(payment);
  return makeStep(state, {
    records: [
      { insert: 'payments', row },
      {
        insert: 'open_payments',
        row: {
          payment_id: row.id,
          terminal_id: row.terminal_id,
          delivered_at: state.is === 'delivered' ? state.deliveredAt : null,
          deadline_at: null,
          abort_requested_at: null,
          terminal_deleted_at: null,
          refusals: 0,
        },
      },
      ...makeGivenBackIncrease(payment, taken),
    ],
    effects: [
      acceptedNote(row, payment, requestId),
      ...starting(payment, facts),
      ...(state.is === 'delivered' ? [{ do: 'deliver' as const, payment, again: false }] : []),
    ],
  });
}

/**
 * Delivers a payment that another gateway accepted. The database refuses the batch of writes if the payment's row no
 * longer has the offered values, if the payment is already delivered, or if an abort was requested. The payment starts
 * without entries in the ledger, because the terminal cannot have sent a message about the payment yet. If the terminal
 * had sent such a message, this gateway would have begun the payment already.
 */
export function deliverPaymentOfAnotherGateway(
  state: State,
  { offer, payment }: Offered,
  facts: PaymentFacts,
): Step {
  const { id: payment_id, terminal_id } = offer;
  const next = makeDeliveredState(makeWaitingState(payment), facts.now);
  if (isTimeLimitOver(next, facts)) return makeStep(state);
  if (!facts.connected) return payment.needsLink ? refuseOffered(offer, payment, facts) : makeStep(state);
  const untouched = { delivered_at: null, terminal_deleted_at: null, abort_asked_at: null };
  return makeStep(next, {
    records: [
      { hold: 'payments', where: offer },
      {
        update: 'open_payments',
        where: { payment_id, terminal_id, ...untouched },
        set: { delivered_at: facts.now },
      },
    ],
    effects: [...starting(payment, facts), { do: 'deliver', payment, again: false }],
  });
}

/**
 * Ends a payment that another gateway accepted, because the payment needs a connected terminal and the terminal is not
 * connected. Only the gateway that owns the terminal knows whether the terminal is connected. The database refuses the
 * batch of writes if the payment has ended in the meantime.
 */
function refuseOffered(offer: Offered['offer'], payment: Payment, facts: PaymentFacts): Step {
  const ended = conclude(makeWaitingState(payment), makeUnconnectedFailure(payment, facts), facts);
  const { id: payment_id, terminal_id } = offer;
  const open = { hold: 'open_payments', where: { payment_id, terminal_id, delivered_at: null } } as const;
  return { ...ended, records: [{ hold: 'payments', where: offer }, open, ...ended.records] };
}

/**
 * Continues a payment that a former process or another gateway has stored but not delivered. If the payment needs a
 * connected terminal and the terminal is not connected, the payment ends at once. The payment ends in a separate step.
 * If the database refuses the commit of that step, the gateway tries the step again.
 */
export function recoverWaiting(state: WaitingPayment, _: unknown, facts: PaymentFacts): Step {
  const { payment } = state;
  const due = lacksRequiredConnection(payment, facts) ? [makePersistSoonEffect(state)] : [];
  return makeStep(state, { effects: [...starting(payment, facts), ...due] });
}

export function refuseWhileBusy(
  state: OpenState,
  { row, payment, requestId }: Accepted,
  facts: PaymentFacts,
): Step {
  return refused(state, { row, payment, requestId }, makeBusyRefusal(payment, state.payment, facts));
}

/** Refuses a payment because its terminal is not connected. */
export function refuseUnconnected(state: State, input: Accepted, facts: PaymentFacts): Step {
  return refused(state, input, makeUnconnectedRefusal(input.payment, facts));
}

/** Stores a payment and its refusal in the same commit. */
function refused(
  state: State,
  { row, payment, requestId }: Omit<Accepted, 'is'>,
  { result, concluded, note }: ReturnType<typeof makeBusyRefusal>,
): Step {
  return makeStep(state, {
    records: [
      { insert: 'payments', row },
      { insert: 'payment_results', row: result },
    ],
    effects: [acceptedNote(row, payment, requestId), note],
    concluded,
  });
}

/** Gives the timers of a payment. They start when the payment begins, or when another process continues the payment. */
function starting(payment: Payment, { timeouts }: PaymentFacts): Effect[] {
  const at = payment.begunAt + timeouts.paymentCapMs;
  return [makeWatchTerminalEffect(payment, true), { do: 'arm', timer: 'cap', paymentId: payment.id, at }];
}

/**
 * Continues a payment that a former process has delivered. The payment counts as lost until the terminal is connected
 * again (B65).
 */
export function recoverDelivered(
  state: DeliveredPayment,
  { deadlineAt }: Recovered,
  facts: PaymentFacts,
): Step {
  const { effects, ...lost } = markPaymentLost(state, facts, deadlineAt);
  return { ...lost, effects: [...starting(state.payment, facts), ...effects] };
}

/** Continues a payment whose terminal was lost at another gateway. The payment's deadline stays the same. */
export function recoverLostPayment(state: LostPayment, _: unknown, facts: PaymentFacts): Step {
  return makeStep(state, { effects: [...starting(state.payment, facts), ...makeLostPaymentEffects(state)] });
}

export function recoverAbandoned(
  state: AbandonedPayment,
  { deadlineAt }: Recovered,
  facts: PaymentFacts,
): Step {
  const next: AbandonedPayment = {
    ...state,
    ...lostPaymentDeadlineOf(state, facts, deadlineAt),
    unstored: true,
  };
  return makeStep(next, { effects: [...makeLostPaymentEffects(next), makePersistSoonEffect(next)] });
}

function acceptedNote(row: PaymentRow, payment: Payment, requestId: string): Effect {
  const { amount, currency, idempotency_key: key } = row;
  const { accountId, saleReferenceId, originalId: original } = payment;
  const data = {
    ...makePaymentKindField(payment),
    ...(original === null ? {} : { original }),
    amount,
    currency,
    requestId,
    ...(key === null ? {} : { idempotencyKey: key }),
    accountId,
    ...(saleReferenceId === undefined ? {} : { saleReferenceId }),
  };
  return makeJournalEffect({ kind: 'payment.accepted', data, about: makePaymentEntrySubject(payment) });
}
