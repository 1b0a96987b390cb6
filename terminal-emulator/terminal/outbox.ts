import type { Memory } from './memory.ts';
import type { PoiLink } from './poi-link.ts';

/** Outcomes on their way to the gateway: sent now and after every reconnection, until one was acknowledged. */
export class Outbox {
  #poiId: string;
  #memory: Memory;
  #link: PoiLink;
  #waiting = new Map<string, string>();

  constructor(poiId: string, parts: { memory: Memory; link: PoiLink }) {
    this.#poiId = poiId;
    this.#memory = parts.memory;
    this.#link = parts.link;
  }

  /** Takes a PaymentResponse, as the memory has it already: as JSON text. */
  put(serviceId: string, response: string): void {
    this.#waiting.set(serviceId, response);
    this.#send(serviceId, response);
  }

  linkUp(): void {
    for (const [serviceId, response] of this.#waiting) this.#send(serviceId, response);
  }

  /** The gateway has it, by whatever message. */
  delivered(serviceId: string): void {
    if (this.#waiting.delete(serviceId)) this.#memory.delivered(this.#poiId, serviceId);
  }

  forget(): void {
    this.#waiting.clear();
  }

  #send(serviceId: string, response: string): void {
    this.#link.tellText('PaymentResponse', serviceId, response, () => this.delivered(serviceId));
  }
}
