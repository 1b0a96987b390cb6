import { type ErrorCondition, toLowerCamel } from '../../../shared/nexo/enums.ts';
import { describeRefusalReason } from '../../../shared/refusal-words.ts';
import { UnreadableMessageError } from '../../../shared/transport/link.ts';
import {
  findEntryInForce,
  noAttempts,
  type PaymentAttempts,
  withLedgerEntry,
} from '../../acquirer/attempts.ts';
import { makeLedgerEntryInsertion, makeLedgerJournalNote } from '../../acquirer/entries.ts';
import { closeAttempts } from '../../acquirer/host.ts';
import {
  findPendingOnceOutcome,
  makeOutcomeRowChanges,
  type OutcomeChange,
} from '../../acquirer/outcomes.ts';
import type { PaymentResultRow } from '../../store/rows/payments.ts';
import {
  describeCharge,
  describeChargeDifference,
  describeTipFault,
  type ReportedMoneyMovement,
  readReportedCharge,
  readReportedReversal,
} from './charge.ts';
import {
  type Effect,
  makeJournalEffect,
  makePaymentEntrySubject,
  makePaymentKindField,
  timerNames,
} from './effects.ts';
import { findFailedPaymentReference, makeGivenBackDecrease } from './giving-back.ts';
import { findOutcomeNote, makeGatewayFailureOutcome, outcomeJson, type PaymentOutcome } from './outcome.ts';
import { readOutcomeOfPaymentResponse, readOutcomeOfReversalResponse } from './outcome-from-nexo.ts';
import { noPayment, type OpenState, type Payment } from './states.ts';
import { makeStep, type PaymentFacts, type Step, type TerminalAnswer } from './step.ts';

/** How a payment ended, which side decided on the result, and why. */
interface Verdict {
  outcome: PaymentOutcome;
  /** The amount that the cardholder was charged or given back; undefined if the payment failed. */
  charge?: ReportedMoneyMovement;
  decidedBy: 'terminal' | 'gateway';
  why: string;
}

/**
 * Ends a payment. One commit stores the result, closes the attempts of a failed payment at the acquirer, and removes
 * the payment from the open payments. So the result that the POS receives agrees with the money that the issuer moved,
 * whatever the terminal does afterwards (B134, B135).
 */
export function conclude(
  state: OpenState & { readonly abortRequestedAt?: number | undefined },
  given: Verdict,
  facts: PaymentFacts,
): Step {
  const { payment, attempts } = state;
  const verdict = checked(state, given, facts);
  const { outcome } = verdict;
  const closing = outcome.result === 'failure' ? closeAttempts(payment, attempts, facts) : [];
  const row = resultRow(state, verdict, facts.now);
  const outcomes = outcomesOver(payment, row.error_condition, facts);
  const attemptsAfter = closing.reduce(withLedgerEntry, attempts);
  return makeStep(noPayment, {
    records: [
      ...closing.map(makeLedgerEntryInsertion),
      { insert: 'payment_results', row },
      { delete: 'open_payments', where: { payment_id: payment.id } },
      ...(outcome.result === 'failure' ? makeGivenBackDecrease(payment) : []),
      ...makeOutcomeRowChanges(outcomes, facts.now),
    ],
    outcomes,
    effects: [
      { do: 'disarm', paymentId: payment.id, timers: timerNames },
      ...(state.is === 'abandoned' ? [] : [makeWatchTerminalEffect(payment, false)]),
      ...closing
        .filter(({ kind }) => kind !== 'closed')
        .map((entry) =>
          makeJournalEffect(makeLedgerJournalNote(entry, makePaymentEntrySubject(payment).terminal)),
        ),
      concludedNote(payment, row),
      { do: 'answer', paymentId: payment.id, outcome },
    ],
    concluded: concludedAs(payment, row, outcome, attemptsAfter),
  });
}

/** Refuses a payment because its terminal is busy. The payment is stored as concluded at once (B37). */
export function makeBusyRefusal(payment: Payment, busyWith: Payment, facts: PaymentFacts) {
  const why = `the terminal is busy with payment ${busyWith.id}`;
  return refusal(payment, makeGatewayFailure(payment, 'Busy', why, facts, { busyWith: busyWith.id }), facts);
}

/**
 * Refuses a payment that needs a connected terminal, because its terminal is not connected. The payment is stored as
 * concluded at once (B450).
 */
export function makeUnconnectedRefusal(payment: Payment, facts: PaymentFacts) {
  return refusal(payment, makeUnconnectedFailure(payment, facts), facts);
}

/** Returns whether the payment needs a connected terminal and its terminal is not connected. */
export function lacksRequiredConnection({ needsLink }: Payment, { connected }: PaymentFacts): boolean {
  return needsLink && !connected;
}

/** Gives the failure of a payment whose terminal is not connected. */
export function makeUnconnectedFailure(payment: Payment, facts: PaymentFacts): Verdict {
  return makeGatewayFailure(payment, 'UnreachableHost', 'the terminal is not connected', facts, {
    unsent: true,
  });
}

function refusal(payment: Payment, verdict: Verdict, facts: PaymentFacts) {
  const result = resultRow({ payment }, verdict, facts.now);
  return {
    result,
    note: concludedNote(payment, result),
    concluded: concludedAs(payment, result, verdict.outcome, noAttempts),
  };
}

/** Gives a failure that the gateway found itself and that the terminal did not report. */
export function makeGatewayFailure(
  payment: Payment,
  reason: ErrorCondition,
  why: string,
  { now: at }: Pick<PaymentFacts, 'now'>,
  more: { busyWith?: string; unsent?: true } = {},
): Verdict {
  return {
    outcome: makeGatewayFailureOutcome(payment, { reason, message: why, at, ...more }),
    decidedBy: 'gateway',
    why,
  };
}

/**
 * Reads the terminal's answer to a payment.
 *
 * @throws UnreadableMessageError if the answer cannot be read
 */
export function readTerminalVerdict(payment: Payment, answer: TerminalAnswer): Verdict {
  const outcome = readOrThrowUnreadable(() =>
    'reversal' in answer
      ? readOutcomeOfReversalResponse(answer.reversal, payment)
      : readOutcomeOfPaymentResponse(answer.response),
  );
  const decidedBy = 'terminal' as const;
  if (outcome.result === 'failure') {
    const said = findOutcomeNote(outcome, 'refusalReason') ?? findOutcomeNote(outcome, 'message');
    const why = `the terminal answers ${toLowerCamel(outcome.reason ?? 'Refusal')}${said ? `: ${describeRefusalReason(said)}` : ''}`;
    return { outcome, decidedBy, why };
  }
  const charge =
    'reversal' in answer
      ? readReportedReversal(payment, answer.reversal)
      : readReportedCharge(payment, answer.response, findOutcomeNote(outcome, 'AID'));
  return { outcome, decidedBy, charge, why: 'the terminal answers approved' };
}

/** Runs `read`. If `read` finds broken percent-encoding, throws the error for an unreadable message of the terminal. */
export function readOrThrowUnreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof URIError) throw new UnreadableMessageError('bad percent-encoding');
    throw error;
  }
}

export function makeWatchTerminalEffect({ terminalId }: Payment, paying: boolean): Effect {
  return { do: 'watch', terminalId, paying };
}

/**
 * Checks a success that the terminal reports. The success counts only if it agrees with the authorization that is in
 * force at the acquirer, and if the tip is allowed (B134).
 */
function checked({ payment, attempts }: OpenState, verdict: Verdict, facts: PaymentFacts): Verdict {
  const { charge } = verdict;
  if (!charge) return verdict;
  const difference =
    describeChargeDifference(charge, findEntryInForce(attempts)) ?? describeTipFault(payment, charge);
  if (difference === undefined) return verdict;
  const why = `the terminal reports ${describeCharge(charge, payment.currency)} as approved, but ${difference}`;
  return makeGatewayFailure(payment, 'UnavailableService', why, facts);
}

function concludedAs(
  payment: Payment,
  row: PaymentResultRow,
  outcome: PaymentOutcome,
  attempts: PaymentAttempts,
): Step['concluded'] {
  const { result: concluded, error_condition: errorCondition } = row;
  return { payment, as: { ...payment, concluded, errorCondition, attempts }, outcome };
}

function resultRow(
  state: { payment: Payment; deliveredAt?: number; abortRequestedAt?: number | undefined },
  { outcome, charge, decidedBy, why }: Verdict,
  now: number,
): PaymentResultRow {
  return {
    payment_id: state.payment.id,
    concluded_at: now,
    delivered_at: state.deliveredAt ?? null,
    abort_requested_at: state.abortRequestedAt ?? null,
    result: outcome.result,
    error_condition: outcome.reason === undefined ? null : toLowerCamel(outcome.reason),
    total: charge?.total ?? null,
    decided_by: decidedBy,
    why,
    answer: '',
    outcome: outcomeJson(outcome),
    failed_reference: findFailedPaymentReference(outcome) ?? null,
  };
}

function concludedNote(
  payment: Payment,
  { result, error_condition: condition, why }: PaymentResultRow,
): Effect {
  const data = {
    ...makePaymentKindField(payment),
    result,
    ...(condition === null ? {} : { errorCondition: condition }),
    why,
  };
  return makeJournalEffect({ kind: 'payment.concluded', data, about: makePaymentEntrySubject(payment) });
}

/**
 * Returns the outcomes that no longer apply after this payment, among those that tests have set. An outcome that was
 * set for this payment is always removed. An outcome that was set for the terminal with `once` is removed only if it
 * made the terminal treat the PINs as wrong (B129).
 */
function outcomesOver(
  payment: Payment,
  errorCondition: string | null,
  { outcomes }: PaymentFacts,
): OutcomeChange[] {
  const pending = findPendingOnceOutcome(outcomes);
  const acted =
    errorCondition === 'wrongPin' && payment.everyPinWrong && pending?.outcome.type === 'wrongPin';
  return [
    ...(acted ? [{ clear: payment.terminalId }] : []),
    ...(outcomes.payment ? [{ clear: payment.id }] : []),
  ];
}
