import type { TimerHandle } from '../../shared/clock.ts';
import type { AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import { makeAlphanumericText } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { maxMessageRefusals } from '../../shared/transport/link.ts';
import type { ApprovalRequest } from '../payment/authorization.ts';
import type { HostAnswer } from '../payment/payment-context.ts';
import type { Reversal, TerminalMemory } from './memory.ts';
import type { PoiLink } from './poi-link.ts';
import type { PlannedFaultTrigger } from './terminal-moments.ts';

interface AcquirerChannelParts {
  runtime: Runtime;
  memory: TerminalMemory;
  link: PoiLink;
  moments: PlannedFaultTrigger;
}

/**
 * Connects the terminal to the acquirer's host, over the link to the gateway. If the link goes down, an authorization
 * request waits until the link is up again. Then the request is sent again with the same ServiceID. A reversal is
 * repeated until the host has answered the reversal (B133).
 */
export class AcquirerChannel {
  #poiId: string;
  readonly #parts: AcquirerChannelParts;
  #answered: (answer: HostAnswer) => void;
  #openRequest: { serviceId: string; body: ApprovalRequest } | undefined;
  /**
   * The reversals that the host has not answered. `serviceId` is the ServiceID of the last message that contained the
   * reversal.
   */
  #reversals = new Map<string, Reversal & { serviceId?: string }>();
  #retry: TimerHandle | undefined;

  constructor(poiId: string, parts: AcquirerChannelParts, answered: (answer: HostAnswer) => void) {
    this.#poiId = poiId;
    this.#parts = parts;
    this.#answered = answered;
  }

  authorize(body: ApprovalRequest): void {
    this.#openRequest = { serviceId: makeAlphanumericText(this.#parts.runtime.random, 10), body };
    this.#parts.link.sendMessage('AcquirerRequest', this.#openRequest.serviceId, body);
  }

  /** Stops waiting for the host's answer to an authorization. If the answer comes later, it is ignored. */
  giveUp(): void {
    this.#openRequest = undefined;
  }

  reverse(reversal: Reversal): void {
    this.#reversals.set(reversal.transactionId, reversal);
    this.#sendReversals(this.#reversalsToRepeat());
  }

  /** Repeats all requests that have no answer yet, because the link is up again. */
  linkUp(): void {
    if (this.#openRequest)
      this.#parts.link.sendMessage('AcquirerRequest', this.#openRequest.serviceId, this.#openRequest.body);
    this.#sendReversals(this.#reversals.values());
  }

  linkDown(): void {
    this.#parts.runtime.clock.clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /** Forgets all requests, because the power was cut. */
  forget(): void {
    this.linkDown();
    this.#openRequest = undefined;
    this.#reversals.clear();
  }

  received(serviceId: string, answer: AcquirerResponse): void | Promise<void> {
    if (answer.Type === 'Reverse') return this.#deleteReversal(answer.PaymentReference);
    if (this.#openRequest?.serviceId !== serviceId) return;
    this.#openRequest = undefined;
    this.#answered(answer);
  }

  /**
   * Handles an answer of the host that cannot be read. If this answer belongs to a reversal, the reversal counts as
   * refused (B67).
   */
  unreadable(serviceId: string, why: string): void {
    for (const reversal of this.#reversals.values())
      if (reversal.serviceId === serviceId)
        this.#noteRefusal(reversal.transactionId, `the host's answer cannot be read: ${why}`);
  }

  async #deleteReversal(transactionId: string): Promise<void> {
    const { memory, moments } = this.#parts;
    await moments.pass('before.reversed', async () => {
      await memory.reversed(this.#poiId, transactionId);
      await moments.pass('after.reversed', () => this.#reversals.delete(transactionId));
    });
  }

  #noteRefusal(transactionId: string, why: string): void {
    const { journal } = this.#parts.runtime;
    this.#storeRefusal(transactionId, why).catch((error: unknown) =>
      journal.add('warning', { message: `memory: ${error}` }, { terminal: this.#poiId }),
    );
  }

  /**
   * Notes that the host could not read a reversal. After three such refusals, the reversal is not repeated any more,
   * but is sent once whenever the link is opened again. (A gateway that was restarted may be able to read the
   * reversal.) The terminal gives the reversal up only if the gateway itself has stored a reversal for the payment
   * (B67).
   */
  async #storeRefusal(transactionId: string, why: string): Promise<void> {
    const reversal = this.#reversals.get(transactionId);
    if (!reversal) return;
    const { refusals, putAside } = await this.#parts.memory.reversalRefused(this.#poiId, transactionId);
    if (!this.#reversals.has(transactionId)) return;
    if (putAside) this.#reversals.delete(transactionId);
    else this.#reversals.set(transactionId, { ...reversal, refusals });
    if (putAside || refusals === maxMessageRefusals) {
      const until = putAside ? '' : ' until the link is opened again';
      const message = `a reversal is not sent again${until}: ${why}`;
      this.#parts.runtime.journal.add(
        'warning',
        { message },
        { terminal: this.#poiId, payment: transactionId },
      );
    }
  }

  /** Sends the given reversals now. Some time later, repeats every reversal that the host has not answered yet. */
  #sendReversals(reversals: Iterable<Reversal>): void {
    const { runtime, link } = this.#parts;
    this.linkDown();
    if (this.#reversals.size === 0 || !link.up) return;
    for (const reversal of reversals) {
      const { transactionId, attemptId, reason } = reversal;
      const serviceId = makeAlphanumericText(runtime.random, 10);
      this.#reversals.set(transactionId, { ...reversal, serviceId });
      const body = {
        Type: 'Reverse',
        PaymentReference: transactionId,
        AttemptID: attemptId,
        Reason: reason,
      } as const;
      link.sendMessage('AcquirerRequest', serviceId, body, {
        refused: (why) => this.#noteRefusal(transactionId, `the host cannot read the reversal: ${why}`),
      });
    }
    const { clock, timeouts } = runtime;
    this.#retry = clock.setTimeout(
      () => this.#sendReversals(this.#reversalsToRepeat()),
      timeouts.reversalRetryMs,
    );
  }

  #reversalsToRepeat(): Reversal[] {
    return [...this.#reversals.values()].filter(({ refusals = 0 }) => refusals < maxMessageRefusals);
  }
}
