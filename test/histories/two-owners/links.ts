import type { PoiHandlers } from '../../../gateway/terminals/poi-server.ts';
import { terminal } from '../inputs.ts';

/** What a gateway has sent over a link, and what its terminal may say to that. */
export interface Sent {
  readonly kind: string;
  readonly serviceId: string;
  readonly payment: string;
  acknowledged(): void;
  refused(): void;
}

/** A connection of the terminal: its gateway may not know yet that the terminal is gone. */
export class Link {
  open = true;
  /** The terminal is at the other end. */
  there = true;
  readonly sent: Sent[] = [];
}

/** A gateway's end of the terminal's links. */
export class Links {
  #link: Link | undefined;
  handlers: PoiHandlers = { connected() {}, disconnected() {}, received() {}, unreadable() {} };

  handle(handlers: PoiHandlers): void {
    this.handlers = handlers;
  }

  connected(link: Link): void {
    if (this.#link) this.#link.open = false;
    this.#link = link;
    this.handlers.connected(terminal);
  }

  isConnected(): boolean {
    return this.#link?.open === true;
  }

  connectedTerminals(): Iterable<string> {
    return this.isConnected() ? [terminal.id] : [];
  }

  /** The gateway ends it, or notices that it has ended. */
  drop(): void {
    const link = this.#link;
    if (!link) return;
    link.open = false;
    this.#link = undefined;
    queueMicrotask(() => this.handlers.disconnected(terminal));
  }

  /** The process is dead. */
  lose(): void {
    if (this.#link) this.#link.open = false;
    this.#link = undefined;
  }

  send(
    _: unknown,
    message: { kind: string; serviceId: string; payment?: string },
    acknowledged = () => {},
    refused = () => {},
  ): boolean {
    if (!this.#link?.open) return false;
    const { kind, serviceId, payment = '' } = message;
    if (this.#link.there) this.#link.sent.push({ kind, serviceId, payment, acknowledged, refused });
    return true;
  }

  watch(): void {}
}
