import type { AbortRequest } from '../../shared/nexo/bodies.ts';
import type { EndingReason } from '../payment/ending.ts';
import {
  type OrderMessage,
  type PaymentReferences,
  readOrder,
  readPaymentReferences,
  UnreadableOrderError,
} from '../payment/payment-order.ts';
import { makeFailureResponse } from '../payment/payment-response.ts';
import { makeTenderReference } from '../payment/terminal-identity.ts';
import type { PaymentMachineRunner } from './payment-machine-runner.ts';
import type { PaymentParts } from './payment-parts.ts';
import type { PaymentSettler } from './payment-settlement.ts';
import type { CurrentPayment } from './volatile-state.ts';

interface PaymentAcceptorParts
  extends Pick<PaymentParts, 'terminal' | 'runtime' | 'memory' | 'outbox' | 'volatile' | 'moments'> {
  readonly settlement: PaymentSettler;
  readonly dialogue: PaymentMachineRunner;
}

/** Passes requests to the payment's state machine. Answers a request itself if it cannot be accepted. */
export class PaymentAcceptor {
  #parts: PaymentAcceptorParts;
  #loseVolatile: () => void;
  #count = 0;

  /** @param loseVolatile ends a payment that could not be stored in the terminal's memory */
  constructor(parts: PaymentAcceptorParts, loseVolatile: () => void) {
    this.#parts = parts;
    this.#loseVolatile = loseVolatile;
  }

  /** Resolves when the request is stored in the terminal's memory. */
  async requested(request: OrderMessage): Promise<void> {
    const { terminal, runtime, volatile } = this.#parts;
    const tender = makeTenderReference(terminal, runtime.clock.now(), this.#count++);
    const sale = readPaymentReferences(request, tender);
    const running = volatile.current;
    if (running?.sale.serviceId === sale.serviceId) return running.noted;
    if (running) return this.#turnAway(sale, busyWith(running), { serviceId: running.sale.serviceId });
    if (this.#isBlocked(sale)) return this.#turnAway(sale, 'cardInSlot');
    const current: CurrentPayment = { sale, noted: Promise.resolve(), aborted: false };
    volatile.current = current;
    current.noted = this.#take(current, request).catch((error) => {
      if (volatile.current === current) this.#loseVolatile();
      throw error;
    });
    return current.noted;
  }

  /**
   * Aborts the payment. Does nothing if the payment is in the state `authorizing` or later, or if the message names
   * another payment (B54).
   */
  abort({ MessageReference }: AbortRequest): void {
    const { volatile, dialogue } = this.#parts;
    if (volatile.current?.sale.serviceId !== MessageReference.ServiceID) return;
    volatile.current.aborted = true;
    dialogue.send({ type: 'abort' });
  }

  /**
   * Begins a payment that the memory does not know, and writes it to the memory. The payment continues before this
   * write has ended. Only two things must come after this write: the request to the host, and the outcome. Each of them
   * waits for a later write, which ends after this one.
   */
  async #take(current: CurrentPayment, request: OrderMessage): Promise<void> {
    const { terminal, memory, outbox, volatile, moments } = this.#parts;
    const { serviceId } = current.sale;
    const known = await memory.find(terminal.poiId, serviceId);
    if (volatile.current !== current) return;
    if (known.state === 'new') {
      await moments.pass('before.begun', async () => {
        const noted = memory.begin(terminal.poiId, current.sale);
        this.#begin(current, request);
        await noted;
        await moments.pass('after.begun', () => {});
      });
      return;
    }
    volatile.current = undefined;
    if (known.state === 'concluded') outbox.put({ serviceId, ...known });
  }

  #begin({ sale, aborted }: CurrentPayment, request: OrderMessage): void {
    const { volatile, dialogue } = this.#parts;
    const fail = (reason: EndingReason, more?: Record<string, string>) => {
      volatile.current = undefined;
      volatile.afterWrite(this.#fail(sale, reason, more), () => {});
    };
    if (aborted) return fail('merchantAborted');
    if (this.#isBlocked(sale)) return fail('cardInSlot');
    try {
      dialogue.send({ type: 'start', order: readOrder(sale, request) });
    } catch (error) {
      if (!(error instanceof UnreadableOrderError)) throw error;
      fail('unreadableRequest', { errors: error.message });
    }
  }

  /**
   * Whether a card that was left in the slot blocks the request. It blocks every request except a reversal, which needs
   * no card.
   */
  #isBlocked({ givesBack }: PaymentReferences): boolean {
    return givesBack !== 'reversal' && this.#parts.dialogue.slot !== undefined;
  }

  /**
   * Answers a request that cannot be accepted now. If the memory already contains the answer to the request, the
   * terminal sends the same answer again.
   */
  async #turnAway(
    sale: PaymentReferences,
    reason: EndingReason,
    more?: Record<string, string>,
  ): Promise<void> {
    const { terminal, memory, outbox } = this.#parts;
    const known = await memory.find(terminal.poiId, sale.serviceId);
    if (known.state === 'concluded') return outbox.put({ serviceId: sale.serviceId, ...known });
    if (known.state === 'new') await this.#fail(sale, reason, more);
  }

  #fail(sale: PaymentReferences, reason: EndingReason, more?: Record<string, string>): Promise<void> {
    const { terminal, runtime, settlement } = this.#parts;
    const at = runtime.clock.now();
    return settlement.settle({ sale, response: makeFailureResponse({ sale, reason, terminal, at, more }) });
  }
}

function busyWith({ sale }: CurrentPayment): EndingReason {
  return sale.givesBack === 'reversal' ? 'busyReversing' : 'busy';
}
