import type { PaymentRow } from '../../store/rows/payments.ts';
import { conclude, isUnlinked, refuseBusy, refuseUnlinked, unlinked, watch } from './concluding.ts';
import { capPassed, deadline, lose, lostEffects, persistSoon } from './delivering.ts';
import { about, type Effect, journal, paymentKindField } from './effects.ts';
import { countGivenBack } from './giving-back.ts';
import {
  type Abandoned,
  type Delivered,
  delivered,
  type Lost,
  type OpenState,
  type Payment,
  type State,
  type Waiting,
  waiting,
} from './states.ts';
import { type Facts, type Input, type Step, step } from './step.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;
type Offered = Extract<Input, { is: 'offered' }>;
type Recovered = Extract<Input, { is: 'recovered' }>;

/** Accepts a payment, unless it needs a link and its terminal has none. */
export function accept(state: State, input: Accepted, facts: Facts): Step {
  if (isUnlinked(input.payment, facts)) return refuseUnsent(state, input, facts);
  return begin(state, input, facts);
}

/** Accepts a payment. If its terminal has a link, the payment counts as delivered from the same commit on (B64). */
export function begin(_: unknown, input: Accepted, facts: Facts): Step {
  const { row, payment, requestId, taken = 0 } = input;
  const state = facts.connected ? delivered(waiting(payment), row.accepted_at) : waiting(payment);
  return step(state, {
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
      ...countGivenBack(payment, taken),
    ],
    effects: [
      acceptedNote(row, payment, requestId),
      ...starting(payment, facts),
      ...(state.is === 'delivered' ? [{ do: 'deliver' as const, payment, again: false }] : []),
    ],
  });
}

/**
 * Delivers a payment that another gateway accepted. The database refuses the batch if the payment's row no longer
 * matches the offer, or if the payment is delivered or to be aborted. The payment starts with an empty ledger: if the
 * terminal had already sent a message about it, the terminal's owner would have taken it up then.
 */
export function takeUpOffer(state: State, { offer, payment }: Offered, facts: Facts): Step {
  const { id: payment_id, terminal_id } = offer;
  const next = delivered(waiting(payment), facts.now);
  if (capPassed(next, facts)) return step(state);
  if (!facts.connected) return payment.needsLink ? refuseOffered(offer, payment, facts) : step(state);
  const untouched = { delivered_at: null, terminal_deleted_at: null, abort_asked_at: null };
  return step(next, {
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
 * Ends an offered payment that needs a link, if its terminal has none. The gateway that owns the terminal does this.
 * The database refuses it if the payment has ended meanwhile.
 */
function refuseOffered(offer: Offered['offer'], payment: Payment, facts: Facts): Step {
  const ended = conclude(waiting(payment), unlinked(payment, facts), facts);
  const { id: payment_id, terminal_id } = offer;
  const open = { hold: 'open_payments', where: { payment_id, terminal_id, delivered_at: null } } as const;
  return { ...ended, records: [{ hold: 'payments', where: offer }, open, ...ended.records] };
}

/**
 * Takes up a payment that a former process had not delivered, or that another gateway accepted. If it needs a link and
 * there is none, it ends at once, but in a separate step, so that a refused commit is tried again.
 */
export function recoverWaiting(state: Waiting, _: unknown, facts: Facts): Step {
  const { payment } = state;
  const due = isUnlinked(payment, facts) ? [persistSoon(state)] : [];
  return step(state, { effects: [...starting(payment, facts), ...due] });
}

export function refuseWhileBusy(state: OpenState, { row, payment, requestId }: Accepted, facts: Facts): Step {
  return refused(state, { row, payment, requestId }, refuseBusy(payment, state.payment, facts));
}

/** Ends a payment that is refused because its terminal has no link. */
export function refuseUnsent(state: State, input: Accepted, facts: Facts): Step {
  return refused(state, input, refuseUnlinked(input.payment, facts));
}

/** Accepts a payment and concludes it in the same commit. */
function refused(
  state: State,
  { row, payment, requestId }: Omit<Accepted, 'is'>,
  { result, concluded, note }: ReturnType<typeof refuseBusy>,
): Step {
  return step(state, {
    records: [
      { insert: 'payments', row },
      { insert: 'payment_results', row: result },
    ],
    effects: [acceptedNote(row, payment, requestId), note],
    concluded,
  });
}

/** Gives the timers that run for a payment. They start when the payment begins, or when another process takes it up. */
function starting(payment: Payment, { timeouts }: Facts): Effect[] {
  const at = payment.begunAt + timeouts.paymentCapMs;
  return [watch(payment, true), { do: 'arm', timer: 'cap', paymentId: payment.id, at }];
}

/** Takes up a payment that a former process had delivered. It counts as lost until the terminal is back (B65). */
export function recoverDelivered(state: Delivered, { deadlineAt }: Recovered, facts: Facts): Step {
  const { effects, ...lost } = lose(state, facts, deadlineAt);
  return { ...lost, effects: [...starting(state.payment, facts), ...effects] };
}

/** Takes up a payment that was lost at another gateway. Its deadline stays the same. */
export function recoverLost(state: Lost, _: unknown, facts: Facts): Step {
  return step(state, { effects: [...starting(state.payment, facts), ...lostEffects(state)] });
}

export function recoverAbandoned(state: Abandoned, { deadlineAt }: Recovered, facts: Facts): Step {
  const next: Abandoned = { ...state, ...deadline(state, facts, deadlineAt), unstored: true };
  return step(next, { effects: [...lostEffects(next), persistSoon(next)] });
}

function acceptedNote(row: PaymentRow, payment: Payment, requestId: string): Effect {
  const { amount, currency, idempotency_key: key } = row;
  const { accountId, saleReferenceId, originalId: original } = payment;
  const data = {
    ...paymentKindField(payment),
    ...(original === null ? {} : { original }),
    amount,
    currency,
    requestId,
    ...(key === null ? {} : { idempotencyKey: key }),
    accountId,
    ...(saleReferenceId === undefined ? {} : { saleReferenceId }),
  };
  return journal({ kind: 'payment.accepted', data, about: about(payment) });
}
