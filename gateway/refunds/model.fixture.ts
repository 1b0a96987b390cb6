import { computePercentOfMinor } from '../../shared/money.ts';
import type { CreditState } from '../store/rows/credits.ts';
import type { RefundStatus } from '../store/rows/refunds.ts';
import type { DebitState } from '../store/rows/saved-cards.ts';
import type { Card, Simulation, Step } from './simulation.fixture.ts';

interface ModelRefund {
  id: string;
  debit: ModelDebit;
  cents: number;
  status: RefundStatus;
  dueAt: number;
}

interface ModelDebit {
  card: Card;
  cents: number;
  total: number;
  state: DebitState;
  expiresAt: number;
  blocked: number;
  closed: boolean;
  refunds: ModelRefund[];
}

interface ModelLink {
  state: CreditState;
  expiresAt: number;
  refused: boolean;
}

/** A simple model of the behaviour that the tests expect. The model does one step at a time. */
export class RefundsModel {
  readonly debits = new Map<string, ModelDebit>();
  readonly refunds = new Map<string, ModelRefund>();
  readonly links = new Map<string, ModelLink>();
  #surchargePercent: number;

  constructor(surchargePercent: number) {
    this.#surchargePercent = surchargePercent;
  }

  /** Gives the answer that a step should have. Call this before the step is done. */
  expects(step: Step, simulation: Simulation): string {
    if (step.do === 'charge' || step.do === 'preauthorize')
      return step.card === 'declined' ? 'cardDeclined' : 'done';
    if (step.do === 'advance' || step.do === 'restart' || step.do === 'link') return 'done';
    if (step.do === 'accept' || step.do === 'refuseLater' || step.do === 'runOut') {
      const link = this.links.get(simulation.link(step.of));
      if (!link) return 'notFound';
      return link.state === 'initiated' ? 'done' : 'conflict';
    }
    if (step.do === 'submit' || step.do === 'fail') {
      const refund = this.refunds.get(simulation.refund(step.of));
      if (!refund) return 'notFound';
      const can = step.do === 'submit' ? refund.status === 'processing' : refund.status !== 'failed';
      return can ? 'done' : 'conflict';
    }
    const debit = this.debits.get(simulation.debit(step.of));
    if (!debit) return 'debitNotFound';
    if (step.do === 'capture') {
      if (debit.state !== 'preauthorized') return 'debitNotCapturable';
      return debit.card === 'fails-at-capture' ? 'cardDeclined' : 'done';
    }
    if (step.do === 'expire') return debit.state === 'preauthorized' ? 'done' : 'conflict';
    if (step.do === 'block') return step.cents <= computeRefundableCents(debit) ? 'done' : 'conflict';
    if (step.do === 'close') return 'done';
    if (debit.state !== 'paid' || debit.closed) return 'debitNotRefundable';
    return step.cents <= computeRefundableCents(debit) - debit.blocked
      ? 'done'
      : 'refundExceedsRefundableAmount';
  }

  /** Updates the model after a step. `answer` is the real answer. */
  did(
    step: Step,
    answer: string,
    simulation: Simulation,
    before: { debit: string; refund: string; link: string },
  ): void {
    const now = simulation.clock.now();
    if (step.do === 'advance' || step.do === 'restart') return this.#until(now);
    if (step.do === 'charge' || step.do === 'preauthorize') {
      const ok = step.do === 'charge' ? 'paid' : 'preauthorized';
      this.debits.set(simulation.debits.at(-1) as string, {
        card: step.card,
        cents: step.cents,
        total: step.cents + computePercentOfMinor(step.cents, this.#surchargePercent),
        state: answer === 'done' ? ok : 'failed',
        expiresAt: now + 7 * 24 * 3_600_000,
        blocked: 0,
        closed: false,
        refunds: [],
      });
      return;
    }
    if (step.do === 'link') {
      const expiresAt = now + 30 * 24 * 3_600_000;
      this.links.set(simulation.links.at(-1) as string, { state: 'initiated', expiresAt, refused: false });
      return;
    }
    const debit = this.debits.get(before.debit);
    const refund = this.refunds.get(before.refund);
    const link = this.links.get(before.link);
    if (step.do === 'capture' && answer === 'cardDeclined' && debit) debit.state = 'failed';
    if (answer !== 'done') return;
    if (step.do === 'accept' && link) link.state = link.refused || step.refuses ? 'failed' : 'completed';
    else if (step.do === 'runOut' && link) link.state = 'expired';
    else if (step.do === 'refuseLater' && link) link.refused = true;
    else if (step.do === 'submit' && refund) this.#submit(refund, now);
    else if (step.do === 'fail' && refund) refund.status = 'failed';
    else if (!debit) return;
    else if (step.do === 'capture') debit.state = 'paid';
    else if (step.do === 'expire') debit.state = 'voided';
    else if (step.do === 'close') debit.closed = true;
    else if (step.do === 'block') debit.blocked = step.cents;
    else if (step.do === 'refund') this.#refund(debit, step.cents, simulation.refunds.at(-1) as string, now);
  }

  #refund(debit: ModelDebit, cents: number, id: string, now: number): void {
    const status = debit.card === 'refund-fails-at-once' ? 'failed' : 'processing';
    const refund: ModelRefund = { id, debit, cents, status, dueAt: now + 2000 };
    debit.refunds.push(refund);
    this.refunds.set(id, refund);
  }

  #submit(refund: ModelRefund, at: number): void {
    refund.status = 'submitted';
    refund.dueAt = refund.debit.card === 'refund-fails-later' ? at + 5000 : Number.POSITIVE_INFINITY;
  }

  #until(now: number): void {
    for (const link of this.links.values())
      if (link.state === 'initiated' && link.expiresAt <= now) link.state = 'expired';
    for (const debit of this.debits.values())
      if (debit.state === 'preauthorized' && debit.expiresAt <= now) debit.state = 'voided';
    for (const refund of this.refunds.values()) {
      while (refund.status !== 'failed' && refund.dueAt <= now) {
        const fails = refund.status === 'submitted' || refund.debit.card === 'refund-cannot-be-sent';
        if (fails) refund.status = 'failed';
        else this.#submit(refund, refund.dueAt);
      }
    }
  }
}

export function computeRefundableCents(debit: ModelDebit): number {
  if (debit.state !== 'paid') return 0;
  return debit.refunds.reduce(
    (left, refund) => left - (refund.status === 'failed' ? 0 : refund.cents),
    debit.total,
  );
}
