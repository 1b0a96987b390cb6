import type { PaymentResponse } from '../../shared/nexo/bodies.ts';
import type { PaymentReferences } from '../payment/payment-order.ts';
import { encodeResponse } from '../payment/payment-response.ts';
import type { EncodedReceipt } from '../receipts/build-receipts.ts';
import type { AcquirerChannel } from './acquirer-channel.ts';
import type { Memory, Reversal } from './memory.ts';
import type { Outbox } from './outbox.ts';
import type { Progress } from './progress.ts';
import type { VolatileState } from './volatile-state.ts';

interface PaymentSettlementParts {
  readonly poiId: string;
  readonly memory: Memory;
  readonly host: Pick<AcquirerChannel, 'reverse'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly progress: Pick<Progress, 'before'>;
  readonly volatile: VolatileState;
}

/** An outcome, and what goes with it. */
export interface Settled {
  readonly sale: PaymentReferences;
  readonly response: PaymentResponse;
  readonly reversal?: Omit<Reversal, 'transactionId'>;
  readonly receipts?: readonly EncodedReceipt[];
}

/** Ends payments: an outcome is in the memory before it is sent (B64). */
export class PaymentSettlement {
  #parts: PaymentSettlementParts;
  #approvalStored: () => void;

  /** @param approvalStored is told when an approval is in the memory, and about to be sent */
  constructor(parts: PaymentSettlementParts, approvalStored: () => void) {
    this.#parts = parts;
    this.#approvalStored = approvalStored;
  }

  /** Keeps the outcome, then sends it. Where the power went meanwhile, a boot finds it in the memory. */
  async settle({ sale, response, reversal, receipts = [] }: Settled): Promise<void> {
    const { poiId, memory, host, outbox, progress, volatile } = this.#parts;
    const stillOn = volatile.watch();
    const text = encodeResponse(response, receipts);
    await progress.before(memory.conclude(poiId, sale, text, reversal));
    if (stillOn() && response.Response.Result === 'Success') this.#approvalStored();
    if (!stillOn()) return;
    outbox.put(sale.serviceId, text);
    if (reversal) host.reverse({ transactionId: sale.transactionId, ...reversal });
  }
}
