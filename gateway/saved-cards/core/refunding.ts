import { majorToMinorOrFault } from '../../../shared/money.ts';
import { bookRefund, bookReturnedRefund } from '../../acquirer/debit-ledger.ts';
import { isOwnedBy } from '../../store/ownership.ts';
import type { LedgerRow } from '../../store/rows/acquirer.ts';
import type { RefundRow } from '../../store/rows/refunds.ts';
import type { DebitRow } from '../../store/rows/saved-cards.ts';
import type { RowChange } from '../../store/schema.ts';
import { findRefundBehaviour } from '../issuer.ts';
import { findRefundRefusal } from './refundability.ts';
import {
  type DebitFacts,
  type Effect,
  type ExistingRefund,
  makeDebitLedgerSubject,
  makeRefusedStep,
  makeStep,
  type RefundInput,
  type RefundState,
  type Step,
  type StoredDebit,
} from './step.ts';

type InputOf<Name> = Extract<RefundInput, { is: Name }>;
type Of<Is extends RefundState['is']> = Extract<RefundState, { is: Is }>;
type Processing = ExistingRefund<'processing'>;
type Submitted = ExistingRefund<'submitted'>;

/** If two equal refunds are requested within this many ms, they were probably meant to be a single refund. */
const repeatWithinMs = 3_600_000;

/** Begins a refund, if the amount can be refunded. With some test cards the refund fails at once (B83, B84). */
export function orderRefund(state: Of<'none'>, input: InputOf<'ordered'>, facts: DebitFacts): Step {
  const { stored } = state;
  const own = stored && isOwnedBy(stored.debit, input.caller) ? stored : undefined;
  // A wrong amount (400) is reported before a missing debit (404), as B116 requires. If the debit belongs to the
  // caller, the amount is read in the currency of the stored debit, because the currency of the input may be wrong.
  const currency = own?.debit.currency ?? input.currency;
  const amount = majorToMinorOrFault(input.amount, currency);
  if (typeof amount === 'string') return makeRefusedStep(state, { is: 'noAmount', fault: amount, currency });
  if (!own) return makeRefusedStep({}, { is: 'missing' });
  const refusal = findRefundRefusal(own, amount);
  if (refusal) return makeRefusedStep(state, refusal);
  const refund = refundOf(own.debit, amount, input, facts);
  const former = own.refunds.findLast((earlier) => repeats(refund, earlier));
  const begun = moved(own, refund, [], { insert: 'refunds', row: refund });
  return former ? { ...begun, effects: [...begun.effects, warned(refund, former)] } : begun;
}

/** Takes a refund to its next status when that status is due. The debit's card decides which status that is. */
export function submitOrFail(state: Processing, _: unknown, facts: DebitFacts): Step {
  if (findRefundBehaviour(facts.card) === 'failsWhileProcessing')
    return fail(state, "the debit's test card makes refunds fail while they are processed", facts);
  return submit(state, "the refund was sent to the customer's bank", facts);
}

export function submitOnTestRequest(state: Processing, _: unknown, facts: DebitFacts): Step {
  return submit(state, 'a test submitted it', facts);
}

export function rejectRefund(state: Submitted, _: unknown, facts: DebitFacts): Step {
  return fail(state, "the debit's test card makes the bank reject refunds", facts);
}

export function failOnTestRequest(
  state: Processing | Submitted,
  { why }: InputOf<'failAsked'>,
  facts: DebitFacts,
): Step {
  return fail(state, why, facts);
}

function submit({ stored, refund }: Processing, why: string, facts: DebitFacts): Step {
  const { now, timeouts, card } = facts;
  const entries = [bookRefund(stored.entries, makeDebitLedgerSubject(stored.debit), refund, why, facts)];
  const rejected = findRefundBehaviour(card) === 'failsAfterSubmission';
  const due_at = rejected ? now + timeouts.refundRejectionMs : null;
  return changed(stored, refund, { status: 'submitted', submitted_at: now, due_at, why }, entries);
}

/**
 * Makes a refund fail. The amount of the refund can be refunded again (B85). If the refund has already moved its amount, the
 * issuer moves the amount back.
 */
function fail({ is, stored, refund }: Processing | Submitted, why: string, facts: DebitFacts): Step {
  const entries =
    is === 'submitted'
      ? [bookReturnedRefund(stored.entries, makeDebitLedgerSubject(stored.debit), refund, why, facts)]
      : [];
  return changed(stored, refund, { status: 'failed', failed_at: facts.now, due_at: null, why }, entries);
}

function refundOf(
  debit: DebitRow,
  amount: number,
  { reason, reasonDetails }: InputOf<'ordered'>,
  { now, dice, card, timeouts }: DebitFacts,
): RefundRow {
  const failsAtOnce = findRefundBehaviour(card) === 'failsAtCreation';
  return {
    id: dice.identifier(),
    account_id: debit.account_id,
    environment: debit.environment,
    debit_id: debit.id,
    amount,
    currency: debit.currency,
    reason,
    reason_details: reasonDetails,
    status: failsAtOnce ? 'failed' : 'processing',
    why: failsAtOnce ? "the debit's test card makes refunds fail when they are created" : 'it was created',
    created_at: now,
    due_at: failsAtOnce ? null : now + timeouts.refundSubmitMs,
    submitted_at: null,
    failed_at: failsAtOnce ? now : null,
  };
}

/**
 * Changes a refund. The database refuses the change if the refund no longer has the status from which the decision
 * started.
 */
function changed(
  stored: StoredDebit,
  former: RefundRow,
  set: Partial<RefundRow>,
  entries: readonly LedgerRow[],
): Step {
  const { id, status } = former;
  return moved(stored, { ...former, ...set }, entries, { update: 'refunds', where: { id, status }, set });
}

function moved(
  stored: StoredDebit,
  refund: RefundRow,
  entries: readonly LedgerRow[],
  change: RowChange,
): Step {
  return makeStep({ ...stored, refunds: withRefund(stored.refunds, refund) }, change, entries, {
    refund,
    effects: [next(refund)],
    told: 'refund',
  });
}

/** Replaces the row of a refund. A new refund is added at the end, because the oldest refund comes first. */
function withRefund(refunds: readonly RefundRow[], refund: RefundRow): readonly RefundRow[] {
  const at = refunds.findLastIndex(({ id }) => id === refund.id);
  return at < 0 ? [...refunds, refund] : refunds.with(at, refund);
}

function next(refund: RefundRow): Effect {
  if (refund.due_at === null) return { do: 'forgetRefund', refundId: refund.id };
  return { do: 'awaitRefund', refund };
}

function repeats(refund: RefundRow, former: RefundRow): boolean {
  return (
    former.status !== 'failed' &&
    former.amount === refund.amount &&
    former.reason === refund.reason &&
    former.reason_details === refund.reason_details &&
    refund.created_at - former.created_at < repeatWithinMs
  );
}

function warned({ id, debit_id }: RefundRow, former: RefundRow): Effect {
  const message = `refund ${id} repeats refund ${former.id}: this request has no idempotency, so money goes back twice; list a debit's refunds before retrying`;
  return { do: 'journal', note: { kind: 'warning', data: { message }, about: { payment: debit_id } } };
}
