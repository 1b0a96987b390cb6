import type { TimerHandle } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { maxMessageRefusals } from '../../shared/transport/link.ts';
import { answerKindOf } from '../payment/payment-response.ts';
import type { TerminalMemory } from './memory.ts';
import type { RememberedOutcome } from './memory-queries.ts';
import type { PoiLink } from './poi-link.ts';

interface OutboxParts {
  runtime: Runtime;
  memory: TerminalMemory;
  link: PoiLink;
}

/**
 * Sends each outcome to the gateway until the gateway acknowledges it. It is sent at once, and again after every
 * reconnection. If the gateway cannot read an outcome, the gateway refuses the outcome, and the outcome is sent again a
 * little later. After three refusals, the outcome is put aside (B67).
 */
export class OutcomeOutbox {
  #poiId: string;
  readonly #parts: OutboxParts;
  #waiting = new Map<string, RememberedOutcome>();
  #retries = new Map<string, TimerHandle>();

  constructor(poiId: string, parts: OutboxParts) {
    this.#poiId = poiId;
    this.#parts = parts;
  }

  /** Sends an outcome. The outcome must already be stored in the memory. */
  put(outcome: RememberedOutcome): void {
    this.#waiting.set(outcome.serviceId, outcome);
    this.#send(outcome);
  }

  linkUp(): void {
    for (const outcome of this.#waiting.values()) this.#send(outcome);
  }

  /**
   * Removes an outcome, because the gateway has it now. The gateway may have got it in the payment's answer or in an
   * answer to a status request.
   */
  delivered(serviceId: string): void {
    if (this.#forget(serviceId)) this.#parts.memory.delivered(this.#poiId, serviceId);
  }

  /**
   * Notes that the gateway could not read an outcome. The gateway may have got it in the payment's answer or in an
   * answer to a status request.
   */
  refused(serviceId: string, why: string): void {
    if (!this.#waiting.has(serviceId)) return;
    this.#parts.memory.refused(this.#poiId, serviceId).then(
      (refusals) =>
        refusals < maxMessageRefusals ? this.#sendLater(serviceId) : this.#putAside(serviceId, why),
      (error: unknown) => this.#warn(`memory: ${error}`),
    );
  }

  forget(): void {
    for (const serviceId of [...this.#waiting.keys()]) this.#forget(serviceId);
  }

  #putAside(serviceId: string, why: string): void {
    if (!this.#forget(serviceId)) return;
    this.#warn(`the outcome of ${serviceId} is not sent again, because the gateway cannot read it: ${why}`);
  }

  #forget(serviceId: string): boolean {
    this.#parts.runtime.clock.clearTimeout(this.#retries.get(serviceId));
    this.#retries.delete(serviceId);
    return this.#waiting.delete(serviceId);
  }

  #sendLater(serviceId: string): void {
    const outcome = this.#waiting.get(serviceId);
    if (outcome === undefined || this.#retries.has(serviceId)) return;
    const { clock, timeouts } = this.#parts.runtime;
    const retry = clock.setTimeout(() => this.#send(outcome), timeouts.reversalRetryMs);
    this.#retries.set(serviceId, retry);
  }

  #send(outcome: RememberedOutcome): void {
    const { serviceId, response } = outcome;
    this.#parts.runtime.clock.clearTimeout(this.#retries.get(serviceId));
    this.#retries.delete(serviceId);
    this.#parts.link.sendEncoded(answerKindOf(outcome), serviceId, response, {
      acknowledged: () => this.delivered(serviceId),
      refused: (why) => this.refused(serviceId, why),
    });
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message }, { terminal: this.#poiId });
  }
}
