import type { TimerHandle } from '../../shared/clock.ts';
import {
  type Body,
  decode,
  encode,
  type Kind,
  type Message,
  MessageFormatError,
} from '../../shared/nexo/message.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, type Link, LinkError } from '../../shared/transport/link.ts';
import { DialError, dial } from '../../shared/transport/link-client.ts';
import type { DialQueue } from './dial-queue.ts';

/** What a terminal knows of its link: `displaced` by a newer connection of itself, `refused` with its key. */
export type LinkState = 'up' | 'down' | 'displaced' | 'refused';

/** What may come from the gateway. */
const gatewayKinds = [
  'PaymentRequest',
  'AbortRequest',
  'TransactionStatusRequest',
  'DiagnosisRequest',
  'AcquirerResponse',
] as const satisfies readonly Kind[];
export type GatewayMessage = Extract<Message, { kind: (typeof gatewayKinds)[number] }>;

export interface PoiLinkHandlers {
  changed(state: LinkState): void;
  /** Resolves once the message may be acknowledged: what it asks is in the terminal's memory. */
  received(message: GatewayMessage): void | Promise<void>;
}

/** A terminal's end of /poi: dials until it is stopped, with backoff and jitter (decision 17, design §2). */
export class PoiLink {
  #target: { url: string; deviceKey: string; poiId: string };
  #runtime: Runtime;
  #dials: DialQueue;
  #handlers: PoiLinkHandlers;
  #link: Link | undefined;
  #severed: Link | undefined;
  #dialling: AbortController | undefined;
  #retry: TimerHandle | undefined;
  #failures = 0;
  #running = false;
  #networkUp = true;

  constructor(
    target: { url: string; deviceKey: string; poiId: string },
    parts: { runtime: Runtime; dials: DialQueue },
    handlers: PoiLinkHandlers,
  ) {
    this.#target = target;
    this.#runtime = parts.runtime;
    this.#dials = parts.dials;
    this.#handlers = handlers;
  }

  get up(): boolean {
    return this.#link !== undefined;
  }

  start(): void {
    this.#running = true;
    this.#failures = 0;
    this.#dial();
  }

  /** Drops the link as a power cut does: without a word. */
  drop(): void {
    this.#running = false;
    this.#stopDialling();
    const link = this.#link;
    this.#link = undefined;
    link?.fail(closeCodes.goingAway, 'the terminal lost power');
    this.#bury();
  }

  /** Closes the link properly. */
  close(): void {
    this.#running = false;
    this.#stopDialling();
    const link = this.#link;
    this.#link = undefined;
    link?.close(closeCodes.goingAway, 'the terminal shuts down');
    this.#bury();
  }

  /** Pulls the network cable or plugs it in. The gateway is not told of a cut; it finds out. */
  setNetwork(up: boolean): void {
    if (up === this.#networkUp) return;
    this.#networkUp = up;
    if (up) {
      this.#bury();
      this.#failures = 0;
      if (this.#running) this.#dial();
      return;
    }
    this.#stopDialling();
    const link = this.#link;
    if (!link) return;
    this.#link = undefined;
    link.cut();
    this.#severed = link;
    this.#handlers.changed('down');
  }

  /** Sends where the link stands; false where it does not. `acknowledged` runs once the gateway has handled it. */
  send<K extends Kind>(kind: K, serviceId: string, body: Body<K>, acknowledged?: () => void): boolean {
    if (!this.#link?.open) return false;
    this.#link.send(encode(kind, { serviceId, poiId: this.#target.poiId }, body), acknowledged);
    return true;
  }

  #dial(): void {
    this.#retry = undefined;
    if (!this.#running || !this.#networkUp || this.#dialling || this.#link) return;
    const dialling = new AbortController();
    this.#dialling = dialling;
    const { url, deviceKey, poiId } = this.#target;
    const clock = this.#runtime.clockId;
    const headers = {
      authorization: `Bearer ${deviceKey}`,
      'pinpad-poi': poiId,
      ...(clock === undefined ? {} : { 'pinpad-clock': clock }),
    };
    const open = () =>
      dial({ url, headers, signal: dialling.signal }, this.#runtime, (link) => this.#opened(link, dialling));
    this.#dials.run(open, dialling.signal).catch((error) => this.#failed(error, dialling));
  }

  #opened(link: Link, dialling: AbortController): void {
    if (this.#dialling !== dialling) return link.fail(closeCodes.goingAway, 'no longer wanted');
    this.#dialling = undefined;
    this.#failures = 0;
    this.#link = link;
    link.handle((json) => this.#received(json));
    link.onClosed((code) => this.#closed(link, code));
    this.#handlers.changed('up');
  }

  #failed(error: unknown, dialling: AbortController): void {
    if (this.#dialling !== dialling) return;
    this.#dialling = undefined;
    const status = error instanceof DialError ? error.status : undefined;
    const refused = status === 401 || status === 403;
    this.#handlers.changed(refused ? 'refused' : 'down');
    // A key that was refused is not right a second later; somebody has to set it.
    this.#dialAgain(refused ? this.#runtime.timeouts.reconnectMaxMs : this.#backoff());
  }

  #closed(link: Link, code: number): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    const displaced = code === closeCodes.displaced;
    this.#handlers.changed(displaced ? 'displaced' : 'down');
    this.#dialAgain(displaced ? this.#runtime.timeouts.displacedMs : this.#backoff());
  }

  /** Doubles from the least to the most, of which half is chance: many terminals must not come back at once. */
  #backoff(): number {
    const { reconnectMinMs, reconnectMaxMs } = this.#runtime.timeouts;
    const longest = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** this.#failures++);
    return Math.ceil(longest / 2) + this.#runtime.random.int(Math.ceil(longest / 2) + 1);
  }

  #dialAgain(afterMs: number): void {
    if (!this.#running || !this.#networkUp) return;
    this.#runtime.clock.clearTimeout(this.#retry);
    this.#retry = this.#runtime.clock.setTimeout(() => this.#dial(), afterMs);
  }

  #stopDialling(): void {
    this.#runtime.clock.clearTimeout(this.#retry);
    this.#retry = undefined;
    const dialling = this.#dialling;
    this.#dialling = undefined;
    dialling?.abort();
  }

  /** Ends the connection whose cable was pulled. */
  #bury(): void {
    this.#severed?.fail(closeCodes.goingAway, 'the network was cut');
    this.#severed = undefined;
  }

  #received(json: unknown): void | Promise<void> {
    const message = read(json);
    if (message.header.POIID !== this.#target.poiId)
      throw new LinkError(closeCodes.policy, `POIID ${message.header.POIID} is not this terminal`);
    if (!isGatewayKind(message))
      throw new LinkError(closeCodes.policy, `a gateway does not send ${message.kind}`);
    return this.#handlers.received(message);
  }
}

function read(json: unknown): Message {
  try {
    return decode(json);
  } catch (error) {
    if (error instanceof MessageFormatError) throw new LinkError(closeCodes.badMessage, error.message);
    throw error;
  }
}

function isGatewayKind(message: Message): message is GatewayMessage {
  return (gatewayKinds as readonly Kind[]).includes(message.kind);
}
