import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { AmountEndingRefusals } from './amount-endings.ts';
import {
  type ApprovalRequest,
  amountInRequest,
  amountMismatchRefusal,
  answerFromEntry,
  closedPaymentRefusal,
  findEarlierAnswerEntry,
  kindMismatchRefusal,
  makeKindMismatchAnswer,
  makeRefusalColumns,
  makeRequestColumns,
} from './answers.ts';
import {
  type AttemptId,
  findEntryInForce,
  movesMoney,
  type PaymentAttempts,
  withLedgerEntry,
} from './attempts.ts';
import { type LedgerEntryValueGenerator, type LedgerSubject, makeLedgerEntry } from './entries.ts';
import type { PaymentFactsForHost } from './host-payment.ts';
import { decideByRules, type OutcomeRuleFacts } from './outcome-rules.ts';
import { bindOnceOutcome, type OutcomeChange } from './outcomes.ts';
import type { PresetOutcome } from './schemas.ts';

/**
 * The data that the host needs for a decision. They include random numbers. A random number is drawn only when it is
 * needed.
 */
export interface HostDecisionFacts {
  now: number;
  dice: LedgerEntryValueGenerator;
  /** The outcomes that tests have set for this payment and for its terminal. */
  outcomes: { payment: PresetOutcome | undefined; terminal: PresetOutcome | undefined };
  magicAmounts: OutcomeRuleFacts['magicAmounts'];
  amountEndings: AmountEndingRefusals;
}

/** A payment with its attempts. */
export interface PaymentWithAttempts {
  payment: PaymentFactsForHost;
  attempts: PaymentAttempts;
}

/** The entries that the host writes, and the state of the attempts after these entries. */
export interface HostStep {
  entries: readonly LedgerRow[];
  attempts: PaymentAttempts;
}

export type ReverseRequest = Extract<AcquirerRequest, { Type: 'Reverse' }>;

type Answered = HostStep & { response: AcquirerResponse };

/**
 * Returns the outcome that a test has set to delay or suppress the host's answer. Returns undefined if the host answers
 * at once.
 */
export function findDelayingOutcome({ payment, terminal }: HostDecisionFacts['outcomes']) {
  const set = (payment ?? terminal)?.outcome;
  return set?.type === 'late' || set?.type === 'silent' ? set : undefined;
}

/**
 * Call this when the host decides about a payment for the first time. If the terminal has an outcome for the next
 * payment (`once`), that outcome becomes the outcome of this payment (B129).
 */
export function bindOutcomeToPayment<Facts extends HostDecisionFacts>(
  { payment, attempts }: PaymentWithAttempts,
  request: ApprovalRequest,
  facts: Facts,
): { facts: Facts; outcomes: readonly OutcomeChange[] } {
  if (payment.concluded !== null || attempts.closed || attempts.byId.has(request.AttemptID))
    return { facts, outcomes: [] };
  return bindOnceOutcome(payment.id, facts);
}

/**
 * Answers a terminal's request to take money or give money back. If the request repeats an earlier attempt, the answer
 * is the same as before. Otherwise the rules determine the answer (B127–B134).
 */
export function answerApprovalRequest(
  booked: PaymentWithAttempts,
  request: ApprovalRequest,
  facts: HostDecisionFacts,
): Answered {
  const { payment, attempts } = booked;
  const attempt = attempts.byId.get(request.AttemptID);
  const repeated = findEarlierAnswerEntry(attempt);
  if (repeated) {
    const response = isOfKind(payment, request)
      ? answerFromEntry(request, repeated)
      : makeKindMismatchAnswer(request);
    return { ...nothing(attempts), response };
  }
  const impossible = impossibility(payment, request, attempts.closed || attempt?.ended === true);
  if (impossible) {
    const declined = makeLedgerEntry(payment, facts, {
      kind: 'declined',
      ...makeRequestColumns(request),
      ...impossible,
    });
    return { ...wrote(attempts, [declined]), response: answerFromEntry(request, declined) };
  }
  const replaced = reverseAttemptInForce(payment, attempts, facts, {
    rule: 'replaced',
    why: 'the terminal asked again, in another attempt',
  });
  const decided = makeLedgerEntry(payment, facts, rulingOn(payment, request, facts));
  return { ...wrote(attempts, [...replaced, decided]), response: answerFromEntry(request, decided) };
}

/**
 * Ends only the attempt that the reversal names. If the payment is already concluded, nothing changes. If the payment
 * was concluded as success and the reversal names the payment's authorization, returns `tooLate`.
 */
export function reverseAttempt(
  booked: PaymentWithAttempts,
  request: ReverseRequest,
  facts: HostDecisionFacts,
): HostStep | 'tooLate' {
  const { payment, attempts } = booked;
  const attemptId = request.AttemptID ?? null;
  if (payment.concluded !== null)
    return findEntryInForce(attempts)?.attempt_id === attemptId ? 'tooLate' : nothing(attempts);
  const because = { rule: 'reversal', why: `the terminal reversed the attempt: ${request.Reason}` };
  return wrote(attempts, endAttempt(payment, attempts, attemptId, facts, because));
}

/**
 * Ends the attempts of a failed payment. If one of them authorized money or gave money back, reverses it. The host
 * declines a later attempt (B135, B492).
 */
export function closeAttempts(
  payment: LedgerSubject,
  attempts: PaymentAttempts,
  facts: HostDecisionFacts,
): readonly LedgerRow[] {
  const because = { rule: 'reversal', why: 'the payment concluded as failure' };
  const reversed = reverseAttemptInForce(payment, attempts, facts, because);
  if (reversed.length > 0 || attempts.closed) return reversed;
  return [makeLedgerEntry(payment, facts, { kind: 'closed', amount: 0, ...because })];
}

/**
 * Returns the refusal if the host must refuse the request in any case. Returns undefined if the rules determine the
 * answer.
 */
function impossibility(payment: PaymentFactsForHost, request: ApprovalRequest, over: boolean) {
  if (payment.concluded !== null || over)
    return {
      rule: 'closed',
      why: 'the payment is already reversed or concluded',
      ...makeRefusalColumns(closedPaymentRefusal),
    };
  if (!isOfKind(payment, request)) {
    const why =
      'the request of the terminal does not match the request of the point of sale: one asks to take money, and the other asks to give money back';
    return { rule: 'otherKind', why, ...makeRefusalColumns(kindMismatchRefusal) };
  }
  const amount = amountInRequest(request);
  const givesBack = request.Type === 'Refund';
  const fits = givesBack ? amount === payment.amount : amount >= payment.amount;
  if (request.Currency === payment.currency && fits) return undefined;
  const why = givesBack
    ? 'the terminal gives back a different amount or currency than the point of sale asked for'
    : 'the terminal asks for a different currency or a smaller amount than the point of sale requested';
  return { rule: 'otherAmount', why, ...makeRefusalColumns(amountMismatchRefusal) };
}

/**
 * Returns whether a request has the right type for its payment. The type is `Refund` for a reversal or refund, and
 * `Authorize` for a payment.
 */
function isOfKind({ kind }: PaymentFactsForHost, { Type }: ApprovalRequest): boolean {
  return (Type === 'Refund') === (kind !== 'payment');
}

function rulingOn(
  payment: PaymentFactsForHost,
  request: ApprovalRequest,
  { outcomes, ...facts }: HostDecisionFacts,
) {
  const { rule, why, behaviour } = decideByRules(
    {
      onlinePin: request.OnlinePin,
      paymentOutcome: outcomes.payment?.outcome,
      terminalOutcome: outcomes.terminal?.outcome,
      ...(request.Card && { card: { maskedPan: request.Card.MaskedPan, behaviour: request.Card.Behaviour } }),
      amount: payment.amount,
      currency: payment.currency,
      magicAmounts: facts.magicAmounts,
    },
    facts.amountEndings,
  );
  const asked = { ...makeRequestColumns(request), rule, why };
  if (behaviour) return { kind: 'declined' as const, ...asked, ...makeRefusalColumns(behaviour) };
  if (request.Type === 'Refund') return { kind: 'refunded' as const, ...asked };
  return { kind: 'authorized' as const, auth_code: facts.dice.authCode(), ...asked };
}

/** Reverses the attempt that is in force, if there is one. */
function reverseAttemptInForce(
  payment: LedgerSubject,
  attempts: PaymentAttempts,
  facts: HostDecisionFacts,
  because: Because,
): readonly LedgerRow[] {
  const entry = findEntryInForce(attempts);
  return entry ? endAttempt(payment, attempts, entry.attempt_id, facts, because) : [];
}

type Because = Pick<LedgerRow, 'rule' | 'why'>;

/**
 * Ends one attempt. If the attempt moved money, that money moves back. An ended attempt can move no further money. If
 * the attempt has already ended, returns no entries.
 */
function endAttempt(
  payment: LedgerSubject,
  attempts: PaymentAttempts,
  attemptId: AttemptId,
  facts: HostDecisionFacts,
  because: Because,
): readonly LedgerRow[] {
  const attempt = attempts.byId.get(attemptId);
  if (attempt?.ended) return [];
  const moved = attempt?.answer && movesMoney(attempt.answer.kind) ? attempt.answer : undefined;
  const takenBack = moved?.kind === 'refunded' ? 'returned' : 'reversed';
  return [
    makeLedgerEntry(payment, facts, {
      kind: moved ? takenBack : 'closed',
      amount: moved?.amount ?? 0,
      attempt_id: attemptId,
      ...(moved ? { psp_reference: moved.psp_reference } : {}),
      ...because,
    }),
  ];
}

function wrote(attempts: PaymentAttempts, entries: readonly LedgerRow[]): HostStep {
  return { entries, attempts: entries.reduce(withLedgerEntry, attempts) };
}

function nothing(attempts: PaymentAttempts): HostStep {
  return { entries: [], attempts };
}
