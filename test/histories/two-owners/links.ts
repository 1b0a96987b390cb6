import type { PoiHandlers } from '../../../gateway/terminals/poi-server.ts';
import { closeCodes } from '../../../shared/transport/link.ts';
import { isOlderDial, type NumberedDial } from '../../../shared/transport/numbered-dial.ts';
import { terminal } from '../inputs.ts';

/** A message that a gateway has sent over a link, and that the terminal may answer. */
export interface Sent {
  readonly kind: string;
  readonly serviceId: string;
  readonly payment: string;
  acknowledged(): void;
  refused(): void;
}

/** A connection of the terminal. Its gateway may not have noticed that the terminal is gone. */
export class Link {
  open = true;
  /** Whether the terminal is still at its end of the connection. */
  there = true;
  readonly sent: Sent[] = [];
  readonly dial: NumberedDial;

  constructor(count: number) {
    this.dial = { instance: 'terminal', count };
  }
}

/** A gateway's side of its links to the terminal. */
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

  /**
   * Displaces a link as the server at /poi does. `by` is the dial that displaces the link. If the link's own dial is
   * newer than `by`, the link stays.
   */
  displace(_: string, by: NumberedDial | undefined): void {
    if (this.#link && !isOlderDial(by, this.#link.dial)) this.drop();
  }

  isConnected(): boolean {
    return this.#link?.open === true;
  }

  connectedTerminals(): Iterable<string> {
    return this.isConnected() ? [terminal.id] : [];
  }

  /** The gateway ends the link, or notices that the terminal has ended it. */
  drop(): void {
    const link = this.#link;
    if (!link) return;
    link.open = false;
    this.#link = undefined;
    queueMicrotask(() => this.handlers.disconnected(terminal, closeCodes.goingAway));
  }

  /** The gateway's process dies, and its link ends. */
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
