import { delay } from '../../shared/clock.ts';
import type { Language } from '../../shared/emulator/screen.ts';
import { causeOf } from '../../shared/file-fault.ts';
import type { AbortRequest, PaymentRequest, PaymentResponse } from '../../shared/nexo/bodies.ts';
import type { DisplayEvent } from '../../shared/nexo/enums.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import { type PresentedCard, presentedCard } from '../cards/presented-card.ts';
import { authorization } from '../payment/authorization.ts';
import type { EndingReason } from '../payment/ending.ts';
import type { Pacing } from '../payment/pacing.ts';
import type { PaymentContext, PaymentEffects, PaymentEvent } from '../payment/payment-context.ts';
import {
  type PaymentReferences,
  paymentReferences,
  readOrder,
  UnreadableOrder,
} from '../payment/payment-order.ts';
import {
  encodeResponse,
  failureResponse,
  isApproved,
  paymentResponse,
  paymentResult,
} from '../payment/payment-response.ts';
import { receiptsOf } from '../payment/receipts-of.ts';
import { type TerminalIdentity, tenderReference } from '../payment/tender.ts';
import type { EncodedReceipt } from '../receipts/build-receipts.ts';
import type { AcquirerChannel } from './acquirer-channel.ts';
import type { Memory, Reversal } from './memory.ts';
import type { Outbox } from './outbox.ts';
import { type DialogueListener, PaymentDialogue } from './payment-dialogue.ts';
import type { Progress } from './progress.ts';

interface PaymentControllerParts {
  readonly terminal: TerminalIdentity;
  readonly merchantLanguage: Language;
  readonly runtime: Runtime;
  readonly memory: Memory;
  readonly cards: CardCatalogue;
  readonly pacing: Pacing;
  readonly host: AcquirerChannel;
  readonly outbox: Outbox;
  readonly progress: Progress;
}

interface PaymentListener extends DialogueListener {
  printed(receipt: EncodedReceipt, transactionId: string): void;
  /** The approval of a payment is in the memory, and about to be sent. */
  approvalStored(): void;
}

const isExpiry = /^(0[1-9]|1[0-2])\d\d$/;

/** A payment from the arrival of its request to its outcome; the machine knows it only between. */
interface Current {
  readonly sale: PaymentReferences;
  /** Resolves once it is in the memory. */
  noted: Promise<void>;
  aborted: boolean;
  /** The last attempt at the host. */
  attemptId?: string;
}

/**
 * Takes payment requests to the payment machine and its results to the memory and the gateway, always in the
 * order in which nothing is lost (B64): remember, then act, then acknowledge.
 */
export class PaymentController implements PaymentEffects {
  #parts: PaymentControllerParts;
  #listener: PaymentListener;
  #dialogue: PaymentDialogue;
  #current: Current | undefined;
  #receipts: EncodedReceipt[] = [];
  #count = 0;
  /** Changes with every power cut: answers to requests made before it are dropped. */
  #power = {};
  /** Ends the wait for a memory that can be used again. */
  #recalling: AbortController | undefined;

  constructor(parts: PaymentControllerParts, listener: PaymentListener) {
    this.#parts = parts;
    this.#listener = listener;
    const { terminal, runtime, pacing } = parts;
    this.#dialogue = new PaymentDialogue({ poiId: terminal.poiId, runtime, pacing, effects: this }, listener);
  }

  get slot(): PresentedCard | undefined {
    return this.#dialogue.slot;
  }

  get payment(): PaymentDialogue['payment'] {
    return this.#dialogue.payment;
  }

  /** A payment has no outcome yet. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  isUnderWay(serviceId: string): boolean {
    return this.#current?.sale.serviceId === serviceId;
  }

  /** Passes what people and the host do to the machine. */
  input(event: PaymentEvent): void {
    this.#dialogue.send(event);
  }

  /** Resolves once the request is in the terminal's memory. */
  async requested(serviceId: string, request: PaymentRequest): Promise<void> {
    const { terminal, runtime } = this.#parts;
    const tender = tenderReference(terminal, runtime.clock.now(), this.#count++);
    const sale = paymentReferences(serviceId, tender, request);
    const running = this.#current;
    if (running?.sale.serviceId === serviceId) return running.noted;
    if (running) return this.#turnAway(sale, 'busy', { serviceId: running.sale.serviceId });
    if (this.slot) return this.#turnAway(sale, 'cardInSlot');
    const current: Current = { sale, noted: Promise.resolve(), aborted: false };
    this.#current = current;
    current.noted = this.#take(current, request).catch((error) => {
      if (this.#current === current) this.loseVolatile();
      throw error;
    });
    return current.noted;
  }

  /** Too late from authorizing on, and for any other payment than this one: then nothing changes (B54). */
  abort({ MessageReference }: AbortRequest): void {
    if (this.#current?.sale.serviceId !== MessageReference.ServiceID) return;
    this.#current.aborted = true;
    this.#dialogue.send({ type: 'abort' });
  }

  /**
   * After a power cut: what was not concluded is, before the gateway is dialled (B65). A memory that cannot be used, as
   * on a full disk, is tried until it can be. False where the power went again, or the terminal was closed, meanwhile.
   */
  async recall(): Promise<boolean> {
    const { terminal, runtime } = this.#parts;
    const power = this.#power;
    for (let failures = 0; ; failures++) {
      try {
        return await this.#recallOnce();
      } catch (error) {
        if (power !== this.#power) return false;
        const message = `the terminal stays offline until its memory can be used: ${causeOf(error)}`;
        if (failures === 0) runtime.journal.add('warning', { message }, { terminal: terminal.poiId });
      }
      this.#recalling = new AbortController();
      const waited = delay(runtime.clock, runtime.timeouts.reversalRetryMs, this.#recalling.signal);
      if (await waited.catch(() => true)) return false; // cut short
    }
  }

  async #recallOnce(): Promise<boolean> {
    const { terminal, runtime, memory, host, outbox } = this.#parts;
    const power = this.#power;
    const found = await memory.recall(terminal.poiId);
    if (power !== this.#power) return false;
    for (const { serviceId, response } of found.undelivered) outbox.put(serviceId, response);
    for (const reversal of found.reversals) host.reverse(reversal);
    if (!found.underWay) return true;
    const { sale, phase, attemptId, paymentResult: result } = found.underWay;
    const at = runtime.clock.now();
    const response = failureResponse({ sale, reason: 'powerLost', terminal, at, result, attemptId });
    const reversal = { attemptId, reason: 'Malfunction' } as const;
    await this.#settle(sale, response, phase === 'authorizing' ? reversal : undefined);
    return power === this.#power;
  }

  loseVolatile(): void {
    this.#power = {};
    this.#recalling?.abort();
    this.#current = undefined;
    this.#receipts = [];
    this.#dialogue.send({ type: 'power.lost' });
  }

  authorize(payment: PaymentContext): void {
    const { terminal, runtime, memory, host, progress } = this.#parts;
    const current = this.#current;
    if (!current) return;
    const attemptId = runtime.identifiers.next();
    current.attemptId = attemptId;
    const body = authorization(payment, attemptId);
    const result = paymentResult(payment, terminal, runtime.clock.now());
    this.#after(progress.before(memory.authorizing(terminal.poiId, attemptId, result)), () => {
      if (this.#current === current) host.authorize(body);
    });
  }

  conclude(payment: PaymentContext): void {
    const { terminal, runtime, host, merchantLanguage } = this.#parts;
    const at = runtime.clock.now();
    host.giveUp();
    this.#receipts = isApproved(payment) ? receiptsOf(payment, terminal, merchantLanguage, at) : [];
    const attemptId = this.#current?.attemptId;
    const response = paymentResponse(payment, terminal, at, attemptId);
    const reversal = payment.reversal && { attemptId, reason: payment.reversal };
    this.#current = undefined;
    this.#after(this.#settle(payment.order.sale, response, reversal, this.#receipts), () => {});
  }

  notify(event: DisplayEvent, { order }: PaymentContext): void {
    this.#parts.progress.notify(order.sale, event);
  }

  identify(number: string, expiry: string): void {
    const { cards, runtime } = this.#parts;
    const known = isExpiry.test(expiry) ? cards.byNumber(number) : undefined;
    const card = known ? { ...known, expiry } : cards.unknownCard(number, expiry);
    const presented = card && presentedCard(card, cards, runtime.clock.now());
    this.#dialogue.send({ type: 'keyed', presented });
  }

  block({ id }: { id: string }): void {
    this.#parts.cards.block(id);
  }

  print({ order }: PaymentContext): void {
    const receipts = this.#receipts;
    this.#receipts = [];
    for (const receipt of receipts) this.#listener.printed(receipt, order.sale.transactionId);
  }

  /**
   * Begins a payment that the memory does not know, and notes it there. The payment need not wait for that: what must
   * not happen before it is remembered, the request to the host and the outcome, waits for a write of its own.
   */
  async #take(current: Current, request: PaymentRequest): Promise<void> {
    const { terminal, memory, outbox } = this.#parts;
    const { serviceId } = current.sale;
    const known = await memory.find(terminal.poiId, serviceId);
    if (this.#current !== current) return;
    if (known.state === 'new') {
      const noted = memory.begin(terminal.poiId, current.sale);
      this.#begin(current, request);
      return noted;
    }
    this.#current = undefined;
    if (known.state === 'concluded') outbox.put(serviceId, known.response);
  }

  #begin(current: Current, request: PaymentRequest): void {
    const { terminal, runtime } = this.#parts;
    const at = runtime.clock.now();
    const fail = (reason: EndingReason, more?: Record<string, string>) => {
      this.#current = undefined;
      const response = failureResponse({ sale: current.sale, reason, terminal, at, more: more ?? {} });
      this.#after(this.#settle(current.sale, response, undefined), () => {});
    };
    if (current.aborted) return fail('merchantAborted');
    if (this.slot) return fail('cardInSlot');
    try {
      const order = readOrder(current.sale, request);
      this.#dialogue.send({ type: 'start', order });
    } catch (error) {
      if (!(error instanceof UnreadableOrder)) throw error;
      fail('unreadableRequest', { errors: error.message });
    }
  }

  /** Ends permanently: no timer of a prompt is left behind, and who is still recalling dials nobody. */
  close(): void {
    this.#power = {};
    this.#recalling?.abort();
    this.#dialogue.close();
  }

  /** Answers a request that cannot be taken now, unless it is one that was answered before. */
  async #turnAway(
    sale: PaymentReferences,
    reason: EndingReason,
    more?: Record<string, string>,
  ): Promise<void> {
    const { terminal, runtime, memory, outbox } = this.#parts;
    const known = await memory.find(terminal.poiId, sale.serviceId);
    if (known.state === 'concluded') return outbox.put(sale.serviceId, known.response);
    if (known.state !== 'new') return;
    const at = runtime.clock.now();
    await this.#settle(sale, failureResponse({ sale, reason, terminal, at, more: more ?? {} }), undefined);
  }

  /** Keeps the outcome, then sends it. */
  async #settle(
    sale: PaymentReferences,
    response: PaymentResponse,
    reversal: Omit<Reversal, 'transactionId'> | undefined,
    receipts: readonly EncodedReceipt[] = [],
  ): Promise<void> {
    const { terminal, memory, host, outbox, progress } = this.#parts;
    const power = this.#power;
    const text = encodeResponse(response, receipts);
    await progress.before(memory.conclude(terminal.poiId, sale, text, reversal));
    if (power === this.#power && response.Response.Result === 'Success') this.#listener.approvalStored();
    if (power !== this.#power) return; // a boot finds it in the memory
    outbox.put(sale.serviceId, text);
    if (reversal) host.reverse({ transactionId: sale.transactionId, ...reversal });
  }

  /** Goes on after a write, where the power is still on; a memory that cannot be written is a broken terminal. */
  #after(written: Promise<void>, then: () => void): void {
    const power = this.#power;
    written
      .then(() => {
        if (power === this.#power) then();
      })
      .catch((error) => {
        if (power === this.#power) this.#listener.broke(error);
      });
  }
}
