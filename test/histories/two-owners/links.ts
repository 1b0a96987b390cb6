import type { PoiHandlers } from '../../../gateway/terminals/poi-server.ts';
import { closeCodes } from '../../../shared/transport/link.ts';
import { isOlder, type NumberedDial } from '../../../shared/transport/numbered-dial.ts';
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
  readonly dial: NumberedDial;

  constructor(count: number) {
    this.dial = { instance: 'terminal', count };
  }
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

  connectionOf(): { link: { readonly open: boolean; close(): void }; dial: NumberedDial } | undefined {
    const link = this.#link;
    if (!link) return undefined;
    const close = () => {
      if (this.#link === link) this.drop();
    };
    return { link: { open: link.open, close }, dial: link.dial };
  }

  /** As the server at /poi does: unless the terminal has dialled this gateway again since. */
  displace(_: string, by: NumberedDial | undefined): void {
    if (this.#link && !isOlder(by, this.#link.dial)) this.drop();
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
    queueMicrotask(() => this.handlers.disconnected(terminal, closeCodes.goingAway));
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
