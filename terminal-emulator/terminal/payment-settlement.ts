import type { PaymentReferences } from '../payment/payment-order.ts';
import { encodeResponse, type PaymentAnswer } from '../payment/payment-response.ts';
import type { EncodedReceipt } from '../receipts/receipt-copies.ts';
import type { Reversal } from './memory.ts';
import type { PaymentParts } from './payment-parts.ts';

interface PaymentSettlementParts extends Pick<PaymentParts, 'memory' | 'volatile' | 'moments'> {
  readonly poiId: string;
  readonly host: Pick<PaymentParts['host'], 'reverse'>;
  readonly outbox: Pick<PaymentParts['outbox'], 'put'>;
  readonly progress: Pick<PaymentParts['progress'], 'holdDuring'>;
}

/** The outcome of a payment, with its reversal and its receipts. */
export interface SettledPayment {
  readonly sale: PaymentReferences;
  readonly response: PaymentAnswer;
  readonly reversal?: Omit<Reversal, 'transactionId'>;
  readonly receipts?: readonly EncodedReceipt[];
}

/** Ends payments. Writes each outcome to the memory before sending it (B64). */
export class PaymentSettler {
  #parts: PaymentSettlementParts;

  constructor(parts: PaymentSettlementParts) {
    this.#parts = parts;
  }

  /**
   * Stores the outcome, then sends it. If the power fails between these two steps, the next start finds the outcome in
   * the memory.
   */
  async settle(settled: SettledPayment): Promise<void> {
    await this.#parts.moments.pass('before.settled', () => this.#keep(settled), approval(settled));
  }

  async #keep(settled: SettledPayment): Promise<void> {
    const { sale, response, reversal, receipts = [] } = settled;
    const { poiId, memory, progress, volatile, moments } = this.#parts;
    const stillOn = volatile.watchPower();
    const text = encodeResponse(response, receipts);
    await progress.holdDuring(memory.conclude(poiId, sale, text, reversal));
    const send = () => {
      if (stillOn()) this.#send(settled, text);
    };
    if (stillOn()) await moments.pass('after.settled', send, approval(settled));
  }

  #send({ sale, reversal }: SettledPayment, text: string): void {
    const { host, outbox } = this.#parts;
    const { serviceId, givesBack } = sale;
    outbox.put({ serviceId, givesBack, response: text });
    if (reversal) host.reverse({ transactionId: sale.transactionId, ...reversal });
  }
}

function approval({ response }: SettledPayment): { approved: boolean } {
  return { approved: response.Response.Result === 'Success' };
}
