import type { DisplayEvent } from '../../shared/nexo/enums.ts';
import { type PresentedCard, toPresentedCard } from '../cards/presented-card.ts';
import { makeCardForUnknownNumber } from '../cards/unknown-card.ts';
import { makeAuthorizationRequest } from '../payment/authorization.ts';
import type { PaymentContext, PaymentEffects } from '../payment/payment-context.ts';
import { makePaymentReceipts } from '../payment/payment-receipts.ts';
import { isPaymentApproved, makePaymentAnswer, makePaymentResult } from '../payment/payment-response.ts';
import type { EncodedReceipt } from '../receipts/receipt-copies.ts';
import type { PaymentParts } from './payment-parts.ts';
import type { PaymentSettler } from './payment-settlement.ts';

interface DialogueEffectsParts extends Omit<PaymentParts, 'outbox' | 'pacing'> {
  readonly settlement: PaymentSettler;
}

const isExpiry = /^(0[1-9]|1[0-2])\d\d$/;

/**
 * Carries out the effects that the payment's state machine requests. Facts that must not be lost are first written to
 * the terminal's memory (B64).
 */
export class PaymentEffectRunner implements PaymentEffects {
  #parts: DialogueEffectsParts;
  #printed: (receipt: EncodedReceipt, transactionId: string) => void;
  /** The receipts of the payment that ended last, until these receipts are printed. */
  #receipts: EncodedReceipt[] = [];

  constructor(
    parts: DialogueEffectsParts,
    printed: (receipt: EncodedReceipt, transactionId: string) => void,
  ) {
    this.#parts = parts;
    this.#printed = printed;
  }

  authorize(payment: PaymentContext): void {
    const { terminal, runtime, memory, host, progress, volatile, moments } = this.#parts;
    const { current } = volatile;
    if (!current) return;
    const attemptId = runtime.identifiers.next();
    current.attemptId = attemptId;
    const body = makeAuthorizationRequest(payment, attemptId);
    const result = makePaymentResult(payment, terminal, runtime.clock.now());
    const ask = () => {
      if (volatile.current === current) host.authorize(body);
    };
    void moments.pass('before.attempted', () => {
      const noted = progress.holdDuring(memory.authorizing(terminal.poiId, attemptId, result));
      volatile.afterWrite(noted, () => moments.pass('after.attempted', ask));
    });
  }

  conclude(payment: PaymentContext): void {
    const { terminal, runtime, host, merchantLanguage, volatile, settlement } = this.#parts;
    const at = runtime.clock.now();
    host.giveUp();
    const receipts = isPaymentApproved(payment)
      ? makePaymentReceipts(payment, terminal, merchantLanguage, at)
      : [];
    const attemptId = volatile.current?.attemptId;
    const response = makePaymentAnswer(payment, terminal, at, attemptId);
    const reversal = payment.reversal && { attemptId, reason: payment.reversal };
    volatile.current = undefined;
    const { sale } = payment.order;
    const stillOn = volatile.watchPower();
    volatile.afterWrite(settlement.settle({ sale, response, reversal, receipts }), () => {});
    // If the power fails before the outcome is stored, there are no receipts.
    this.#receipts = stillOn() ? receipts : [];
  }

  notify(event: DisplayEvent, { order }: PaymentContext): void {
    this.#parts.progress.notify(order.sale, event);
  }

  identify(number: string, expiry: string): PresentedCard | undefined {
    const { cards, runtime } = this.#parts;
    const known = isExpiry.test(expiry) ? cards.byNumber(number) : undefined;
    const card = known ? { ...known, expiry } : makeCardForUnknownNumber(number, expiry);
    return card && toPresentedCard(card, cards, runtime.clock.now());
  }

  block({ id }: { id: string }): void {
    this.#parts.cards.block(id);
  }

  print({ order }: PaymentContext): void {
    const receipts = this.#receipts;
    this.#receipts = [];
    for (const receipt of receipts) this.#printed(receipt, order.sale.transactionId);
  }
}
