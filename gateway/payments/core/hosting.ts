import { closeCodes, LinkError } from '../../../shared/transport/link.ts';
import { type Ask, unknownPayment } from '../../acquirer/answers.ts';
import { insertEntry, noteOf } from '../../acquirer/entries.ts';
import {
  actOnce,
  answerAsk,
  type BookedPayment,
  type HostStep,
  type Reverse,
  reverse,
  timingOf,
} from '../../acquirer/host.ts';
import { wasMadeOn } from '../../acquirer/host-payment.ts';
import { boundOnce, type OutcomeChange, pendingOn, setOutcomeChanges } from '../../acquirer/outcomes.ts';
import type { Terminal } from '../../terminals/directory.ts';
import { type Effect, journal } from './effects.ts';
import type { Delivered, Lost, State } from './states.ts';
import { type Input, type PaymentFacts, paymentOrReversalResponse, type Step, step } from './step.ts';

type InputOf<Name> = Extract<Input, { is: Name }>;
type HostAsked = InputOf<'hostAsked'>;

/**
 * Handles a terminal's request to the acquirer's host. The host answers at once, later or never, as the set outcome
 * says (B128).
 */
export function answerAsHost(state: State, input: HostAsked, facts: PaymentFacts): Step {
  const { terminal, request } = input;
  const found = bookedPayment(state, input, facts);
  const booked = found === 'former' ? undefined : found;
  const { effects, ...asked } =
    request.Type === 'Reverse'
      ? reversed(state, input, request, booked, facts)
      : decided(state, input, request, booked, facts);
  const message = 'the terminal asks the host about a payment of a deleted terminal: the request is ignored';
  const aside = found === 'former' ? [warning(message, terminal, request.PaymentReference)] : [];
  return { ...asked, effects: [...aside, ...effects] };
}

/**
 * Notes that the terminal treated a PIN as wrong because the gateway told it to. If the terminal's outcome for `once`
 * was the reason, that outcome is used up (B129).
 */
export function pinEntered(state: Delivered | Lost, _: unknown, facts: PaymentFacts): Step {
  const { everyPinWrong, id } = state.payment;
  const acted = everyPinWrong && pendingOn(facts.outcomes)?.outcome.type === 'wrongPin';
  return step(state, acted ? bound(boundOnce(id, facts).outcomes, facts) : {});
}

/**
 * Handles a result for a payment that is already concluded. It either repeats the known result or comes too late to
 * count.
 */
export function lateAnswer(state: State, input: InputOf<'answered'>, { stored }: PaymentFacts): Step {
  const { terminal } = input;
  const response = paymentOrReversalResponse(input);
  const id = response.SaleData.SaleTransactionID.TransactionID;
  if (!stored)
    return step(state, {
      effects: [warning('the terminal has a result for an unknown payment', terminal, id)],
    });
  if (!wasMadeOn(terminal, stored)) return putAside(state, terminal, id);
  const { Result } = response.Response;
  if ((stored.concluded === 'success') === (Result === 'Success')) return step(state);
  const why = `the payment is already concluded as ${stored.errorCondition ?? stored.concluded}`;
  const about = { terminal: terminal.poiId, payment: id };
  const data = { result: Result.toLowerCase(), why };
  return step(state, { effects: [journal({ kind: 'payment.lateResult', data, about })] });
}

/** Ignores a result that the terminal still has in memory, for a payment of a terminal that was deleted (B8). */
export function putAside(state: State, terminal: Terminal, id: string): Step {
  const message = 'the terminal has a result for a payment of a deleted terminal: it is ignored';
  return step(state, { effects: [warning(message, terminal, id)] });
}

/**
 * Gives the payment to which a terminal's request refers; undefined if there is no such payment. Returns `former` if
 * the terminal was deleted and made again after the payment, and still remembers the payment (B8).
 * @throws LinkError if the payment belongs to another terminal now
 */
function bookedPayment(
  state: State,
  { terminal, request }: HostAsked,
  { stored }: PaymentFacts,
): BookedPayment | 'former' | undefined {
  if (state.is === 'abandoned') return 'former';
  if (state.is !== 'none') {
    const { payment, ledger } = state;
    if (payment.terminalId === terminal.id)
      return { payment: { ...payment, concluded: null }, standing: ledger };
    const message = `payment ${request.PaymentReference} belongs to another terminal`;
    throw new LinkError(closeCodes.policy, message);
  }
  if (!stored) return undefined;
  return wasMadeOn(terminal, stored) ? { payment: stored, standing: stored.standing } : 'former';
}

function decided(
  state: State,
  { terminal, serviceId, late }: HostAsked,
  request: Ask,
  booked: BookedPayment | undefined,
  given: PaymentFacts,
): Step {
  const { facts, outcomes } =
    booked && !late ? actOnce(booked, request, given) : { facts: given, outcomes: [] };
  const timing = late ? undefined : timingOf(facts.outcomes);
  if (timing?.type === 'late') {
    const { delayMs: inMs } = timing;
    return step(state, {
      ...bound(outcomes, facts),
      effects: [{ do: 'decideLate', terminal, serviceId, request, inMs }],
    });
  }
  const answered = booked && answerAsk(booked, request, facts);
  const next = answered ? wrote(state, terminal, answered) : step(state);
  const silent = 'a test set the host to stay silent: the answer above is not sent';
  const response = answered?.response ?? unknownPayment(request);
  const answer: Effect =
    timing?.type === 'silent'
      ? warning(silent, terminal, request.PaymentReference)
      : { do: 'reply', terminal, serviceId, response };
  const { records } = bound(outcomes, facts);
  return { ...next, records: [...records, ...next.records], outcomes, effects: [...next.effects, answer] };
}

function reversed(
  state: State,
  { terminal, serviceId }: HostAsked,
  request: Reverse,
  booked: BookedPayment | undefined,
  facts: PaymentFacts,
): Step {
  const { PaymentReference, AttemptID } = request;
  const response = { Type: 'Reverse', PaymentReference, AttemptID } as const;
  const reply: Effect = { do: 'reply', terminal, serviceId, response };
  const ended = booked && reverse(booked, request, facts);
  if (!ended) return step(state, { effects: [reply] });
  if (ended !== 'tooLate') {
    const next = wrote(state, terminal, ended);
    return { ...next, effects: [...next.effects, reply] };
  }
  const message = 'a reversal came after the payment was concluded as success, and changes nothing';
  return step(state, { effects: [warning(message, terminal, PaymentReference), reply] });
}

function wrote(state: State, terminal: Terminal, { entries, standing }: HostStep): Step {
  return step(state.is === 'none' ? state : { ...state, ledger: standing }, {
    records: entries.map(insertEntry),
    effects: entries.map((entry) => journal(noteOf(entry, terminal.poiId))),
  });
}

function bound(outcomes: readonly OutcomeChange[], { now }: PaymentFacts) {
  return { outcomes, records: setOutcomeChanges(outcomes, now) };
}

function warning(message: string, { poiId }: Terminal, payment: string): Effect {
  return journal({ kind: 'warning', data: { message }, about: { terminal: poiId, payment } });
}
