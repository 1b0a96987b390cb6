import { closeCodes, LinkProtocolError } from '../../../shared/transport/link.ts';
import { type ApprovalRequest, makeUnknownPaymentAnswer } from '../../acquirer/answers.ts';
import { makeLedgerEntryInsertion, makeLedgerJournalNote } from '../../acquirer/entries.ts';
import {
  answerApprovalRequest,
  bindOutcomeToPayment,
  findDelayingOutcome,
  type HostStep,
  type PaymentWithAttempts,
  type ReverseRequest,
  reverseAttempt,
} from '../../acquirer/host.ts';
import { wasMadeOnTerminal } from '../../acquirer/host-payment.ts';
import {
  bindOnceOutcome,
  findPendingOnceOutcome,
  makeOutcomeRowChanges,
  type OutcomeChange,
} from '../../acquirer/outcomes.ts';
import type { Terminal } from '../../terminals/directory.ts';
import { type Effect, makeJournalEffect } from './effects.ts';
import type { DeliveredPayment, LostPayment, State } from './states.ts';
import { type Input, makeStep, type PaymentFacts, type Step, unwrapTerminalAnswer } from './step.ts';

type InputOf<Name> = Extract<Input, { is: Name }>;
type HostAsked = InputOf<'hostAsked'>;

/**
 * Handles a terminal's request to the acquirer's host. The outcome that is set decides whether the host answers at
 * once, later or never (B128).
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
 * Notes that the terminal treated a PIN as wrong because the gateway told it to. If the reason was an outcome that a
 * test had set for the terminal with `once`, that outcome affects no further payment (B129).
 */
export function noteWrongPin(state: DeliveredPayment | LostPayment, _: unknown, facts: PaymentFacts): Step {
  const { everyPinWrong, id } = state.payment;
  const acted = everyPinWrong && findPendingOnceOutcome(facts.outcomes)?.outcome.type === 'wrongPin';
  return makeStep(state, acted ? bound(bindOnceOutcome(id, facts).outcomes, facts) : {});
}

/**
 * Handles a result for a payment that is already concluded. The result either repeats the known result, or comes too
 * late to count.
 */
export function handleLateAnswer(state: State, input: InputOf<'answered'>, { stored }: PaymentFacts): Step {
  const { terminal } = input;
  const response = unwrapTerminalAnswer(input);
  const id = response.SaleData.SaleTransactionID.TransactionID;
  if (!stored)
    return makeStep(state, {
      effects: [warning('the terminal has a result for an unknown payment', terminal, id)],
    });
  if (!wasMadeOnTerminal(terminal, stored)) return ignoreDeletedTerminalResult(state, terminal, id);
  const { Result } = response.Response;
  if ((stored.concluded === 'success') === (Result === 'Success')) return makeStep(state);
  const why = `the payment is already concluded as ${stored.errorCondition ?? stored.concluded}`;
  const about = { terminal: terminal.poiId, payment: id };
  const data = { result: Result.toLowerCase(), why };
  return makeStep(state, { effects: [makeJournalEffect({ kind: 'payment.lateResult', data, about })] });
}

/**
 * Ignores a result for a payment of a deleted terminal. A terminal with the same identifier still has this result in
 * memory (B8).
 */
export function ignoreDeletedTerminalResult(state: State, terminal: Terminal, id: string): Step {
  const message = 'the terminal has a result for a payment of a deleted terminal: the result is ignored';
  return makeStep(state, { effects: [warning(message, terminal, id)] });
}

/**
 * Gives the payment to which a terminal's request refers; undefined if there is no such payment. Returns `former` if
 * the terminal was deleted and made again after the payment, and still remembers the payment (B8).
 *
 * @throws LinkProtocolError if the payment belongs to another terminal now
 */
function bookedPayment(
  state: State,
  { terminal, request }: HostAsked,
  { stored }: PaymentFacts,
): PaymentWithAttempts | 'former' | undefined {
  if (state.is === 'abandoned') return 'former';
  if (state.is !== 'none') {
    const { payment, attempts } = state;
    if (payment.terminalId === terminal.id) return { payment: { ...payment, concluded: null }, attempts };
    const message = `payment ${request.PaymentReference} belongs to another terminal`;
    throw new LinkProtocolError(closeCodes.policy, message);
  }
  if (!stored) return undefined;
  return wasMadeOnTerminal(terminal, stored) ? { payment: stored, attempts: stored.attempts } : 'former';
}

function decided(
  state: State,
  { terminal, serviceId, late }: HostAsked,
  request: ApprovalRequest,
  booked: PaymentWithAttempts | undefined,
  given: PaymentFacts,
): Step {
  const { facts, outcomes } =
    booked && !late ? bindOutcomeToPayment(booked, request, given) : { facts: given, outcomes: [] };
  const timing = late ? undefined : findDelayingOutcome(facts.outcomes);
  if (timing?.type === 'late') {
    const { delayMs: inMs } = timing;
    return makeStep(state, {
      ...bound(outcomes, facts),
      effects: [{ do: 'decideLate', terminal, serviceId, request, inMs }],
    });
  }
  const answered = booked && answerApprovalRequest(booked, request, facts);
  const next = answered ? wrote(state, terminal, answered) : makeStep(state);
  const silent = "a test set the host to stay silent, so the host's answer is not sent";
  const response = answered?.response ?? makeUnknownPaymentAnswer(request);
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
  request: ReverseRequest,
  booked: PaymentWithAttempts | undefined,
  facts: PaymentFacts,
): Step {
  const { PaymentReference, AttemptID } = request;
  const response = { Type: 'Reverse', PaymentReference, AttemptID } as const;
  const reply: Effect = { do: 'reply', terminal, serviceId, response };
  const ended = booked && reverseAttempt(booked, request, facts);
  if (!ended) return makeStep(state, { effects: [reply] });
  if (ended !== 'tooLate') {
    const next = wrote(state, terminal, ended);
    return { ...next, effects: [...next.effects, reply] };
  }
  const message = 'a reversal came after the payment had succeeded, and changes nothing';
  return makeStep(state, { effects: [warning(message, terminal, PaymentReference), reply] });
}

function wrote(state: State, terminal: Terminal, { entries, attempts }: HostStep): Step {
  return makeStep(state.is === 'none' ? state : { ...state, attempts }, {
    records: entries.map(makeLedgerEntryInsertion),
    effects: entries.map((entry) => makeJournalEffect(makeLedgerJournalNote(entry, terminal.poiId))),
  });
}

function bound(outcomes: readonly OutcomeChange[], { now }: PaymentFacts) {
  return { outcomes, records: makeOutcomeRowChanges(outcomes, now) };
}

function warning(message: string, { poiId }: Terminal, payment: string): Effect {
  return makeJournalEffect({ kind: 'warning', data: { message }, about: { terminal: poiId, payment } });
}
