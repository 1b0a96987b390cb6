import type { TimerHandle } from '../../shared/clock.ts';
import { makeSeededRandom } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, type Link } from '../../shared/transport/link.ts';
import { DialError, dialLink } from '../../shared/transport/link-client.ts';
import {
  displacementReasons,
  makeDialHeaders,
  makeDialInstanceId,
} from '../../shared/transport/numbered-dial.ts';
import type { SharedLinkDialer } from '../../shared/transport/shared-link-dialer.ts';
import type { DialQueue } from './dial-queue.ts';

/** The code that stands for the end of a connection without a close frame. This code is never sent. */
const endedWithoutClose = 1006;

/**
 * The state of a link. `displaced`: another process runs the same terminal. `refused`: the gateway refused the device
 * key. `otherClock`: the gateway runs in virtual time. Only terminals in the gateway's process can share this time,
 * so the gateway refuses all other terminals.
 */
export type LinkState = 'up' | 'down' | 'displaced' | 'refused' | 'otherClock';

export interface LinkTarget {
  /** The address, which begins with ws: or wss:. */
  readonly url: string;
  readonly deviceKey: string;
  readonly poiId: string;
}

interface LinkHandlers {
  /** Called with the new state. If nothing answered at the address, `unreachable` says what is wrong. */
  changed(state: LinkState, unreachable?: string): void;
  /** Resolves when the message can be acknowledged. */
  received(json: unknown): void | Promise<void>;
}

export interface LinkDependencies {
  readonly runtime: Runtime;
  readonly dials: DialQueue;
  /** The sockets that several links share. If absent, each link has its own socket. */
  readonly sockets?: SharedLinkDialer;
  /** Whether a broken connection is opened again at once, without a wait before the first attempt. */
  readonly againAtOnce?: boolean;
}

/**
 * A link to the gateway. Whenever the link ends, it is opened again after a wait. The waits are random and get
 * longer. `stop` ends the link for good.
 */
export class ReconnectingLink {
  #target: LinkTarget;
  readonly #parts: LinkDependencies;
  #handlers: LinkHandlers;
  #link: Link | undefined;
  #cutLink: Link | undefined;
  #dialling: AbortController | undefined;
  #retry: TimerHandle | undefined;
  /**
   * Identifies this link to the gateway. Together with the number of an attempt to connect, it identifies the
   * attempt, even if the gateway handles the attempt late (B189).
   */
  readonly #instance: string;
  #dialCount = 0;
  #failures = 0;
  #openedAt = 0;
  /**
   * The seed of this link's random waits. Each link has its own seed, so that its waits do not depend on other links.
   * With a common seed, the waits would depend on the order in which the links notice that they have ended.
   */
  #waitSeed: number;
  #waitCount = 0;
  #running = false;
  #networkUp = true;
  #latencyMs = 0;
  #displaced = false;

  constructor(target: LinkTarget, parts: LinkDependencies, handlers: LinkHandlers) {
    this.#target = target;
    this.#parts = parts;
    this.#handlers = handlers;
    this.#instance = makeDialInstanceId(parts.runtime.realRandom);
    this.#waitSeed = parts.runtime.random.int(2 ** 32);
  }

  get up(): boolean {
    return this.#link !== undefined;
  }

  get networkUp(): boolean {
    return this.#networkUp;
  }

  /** Whether another process has taken over the terminal, and this link has not been up since then. */
  get displaced(): boolean {
    return this.#displaced;
  }

  start(): void {
    this.#running = true;
    this.#failures = 0;
    this.#dial();
  }

  /** Drops the link without closing it, as happens in a power cut. */
  drop(): void {
    this.#stop()?.fail(closeCodes.goingAway, 'the terminal lost power');
  }

  /** Closes the link properly. */
  close(): void {
    this.#stop()?.close(closeCodes.goingAway, 'the terminal shuts down');
  }

  /**
   * Pulls the network cable out, or plugs the cable in. When the cable is pulled out, the gateway gets no message. It
   * has to notice the lost connection itself.
   */
  setNetwork(up: boolean): void {
    this.#networkUp = up;
    if (up) {
      this.#endCutLink();
      this.#failures = 0;
      this.#dial();
      return;
    }
    this.#stopDialling();
    const link = this.#link;
    if (!link) return;
    this.#link = undefined;
    link.cut();
    this.#cutLink = link;
    this.#handlers.changed('down');
  }

  get latencyMs(): number {
    return this.#latencyMs;
  }

  /** From now on, delays every message by this time, in each direction; 0 means no delay. */
  setLatency(latencyMs: number): void {
    this.#latencyMs = latencyMs;
    this.#link?.slowDown(latencyMs);
  }

  /**
   * Sends the text if the link is up. Returns false if the link is down. `acknowledged` runs when the gateway has
   * handled the message, and `refused` runs if the gateway cannot read the message.
   */
  send(text: string, acknowledged?: () => void, refused?: (reason: string) => void): boolean {
    if (!this.#link?.open) return false;
    this.#link.send(text, acknowledged, refused);
    return true;
  }

  /** Calls `run` at the end of this turn of the event loop, before the messages of this turn are sent. */
  atTurnEnd(run: () => void): void {
    if (this.#link) this.#link.atTurnEnd(run);
    else setImmediate(run);
  }

  /** Pings the gateway. If the gateway has not answered by the next ping, the link ends. */
  ping(): void {
    this.#link?.ping();
  }

  #dial(): void {
    this.#retry = undefined;
    if (!this.#running || !this.#networkUp || this.#dialling || this.#link) return;
    const dialling = new AbortController();
    this.#dialling = dialling;
    const options = { url: this.#target.url, headers: this.#headers(), signal: dialling.signal };
    const { dials, sockets, runtime } = this.#parts;
    const ready = (link: Link) => this.#opened(link, dialling);
    dials
      .run(() => sockets?.dial(options, ready) ?? dialLink(options, runtime, ready), dialling.signal)
      .catch((error) => this.#failed(error, dialling));
  }

  #headers(): Record<string, string> {
    const { clockId } = this.#parts.runtime;
    return {
      authorization: `Bearer ${this.#target.deviceKey}`,
      'pinpad-poi': this.#target.poiId,
      ...makeDialHeaders({ instance: this.#instance, count: ++this.#dialCount }),
      ...(clockId === undefined ? {} : { 'pinpad-clock': clockId }),
    };
  }

  #opened(link: Link, dialling: AbortController): void {
    if (this.#dialling !== dialling) return link.fail(closeCodes.goingAway, 'no longer wanted');
    this.#dialling = undefined;
    this.#displaced = false;
    this.#openedAt = this.#parts.runtime.clock.monotonic();
    this.#link = link;
    link.slowDown(this.#latencyMs);
    link.handle((json) => this.#handlers.received(json));
    link.onClosed((code, reason) => this.#closed(link, code, reason));
    this.#handlers.changed('up');
  }

  #failed(error: unknown, dialling: AbortController): void {
    if (this.#dialling !== dialling) return;
    this.#dialling = undefined;
    const status = error instanceof DialError ? error.status : undefined;
    const refused = status === 401 ? 'refused' : status === 403 ? 'otherClock' : undefined;
    const unreachable = error instanceof DialError && status === undefined ? error.message : undefined;
    this.#handlers.changed(refused ?? 'down', unreachable);
    // A gateway that refused one connection will refuse the next one too, until a person sets the right key or starts
    // the gateway in another way. So the wait before the next attempt is the longest possible one.
    this.#dialAgain(refused ? this.#parts.runtime.timeouts.reconnectMaxMs : this.#backoffMs());
  }

  #closed(link: Link, code: number, reason: string): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    if (!this.#mayEndAgain(code)) this.#failures = 0;
    // The gateway may have closed this link because it took the link for an older link of the same terminal. In this
    // case the terminal is not displaced, so the link is opened again as usual.
    const displaced = code === closeCodes.displaced && reason !== displacementReasons.yours;
    this.#displaced = displaced;
    this.#handlers.changed(displaced ? 'displaced' : 'down');
    if (this.#dialsAtOnce(code)) this.#dial();
    else this.#dialAgain(displaced ? this.#parts.runtime.timeouts.displacedMs : this.#backoffMs());
  }

  /**
   * Whether to connect again at once. In real time, this is allowed only if the connection has lasted long enough.
   * Otherwise, a link that breaks again and again would be opened again and again without a pause.
   */
  #dialsAtOnce(code: number): boolean {
    if (!this.#parts.againAtOnce || code !== endedWithoutClose) return false;
    const { clock, timeouts } = this.#parts.runtime;
    return clock.virtual || clock.monotonic() - this.#openedAt >= timeouts.reconnectMinMs;
  }

  /**
   * Whether the next link will probably end in the same way. For example, the terminal or the gateway cannot carry out
   * a message because the disk is full. The message is then sent again on the next link. Or a copy of this machine has
   * the same instance id, and the two machines take over the terminal from each other again and again.
   */
  #mayEndAgain(code: number): boolean {
    const { clock, timeouts } = this.#parts.runtime;
    const lastedMs = clock.monotonic() - this.#openedAt;
    const again = code === closeCodes.internalError || code === closeCodes.displaced;
    return again && lastedMs < timeouts.reconnectMaxMs;
  }

  /**
   * Doubles the wait each time, up to a limit. Half of each wait is random, so that many terminals do not connect at
   * the same moment.
   */
  #backoffMs(): number {
    const { reconnectMinMs, reconnectMaxMs } = this.#parts.runtime.timeouts;
    const longest = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** this.#failures++);
    const random = makeSeededRandom(this.#waitSeed + this.#waitCount++);
    return Math.ceil(longest / 2) + random.int(Math.ceil(longest / 2) + 1);
  }

  #dialAgain(afterMs: number): void {
    if (!this.#running || !this.#networkUp) return;
    this.#parts.runtime.clock.clearTimeout(this.#retry);
    this.#retry = this.#parts.runtime.clock.setTimeout(() => this.#dial(), afterMs);
  }

  #stop(): Link | undefined {
    this.#running = false;
    this.#stopDialling();
    this.#endCutLink();
    const link = this.#link;
    this.#link = undefined;
    return link;
  }

  #stopDialling(): void {
    this.#parts.runtime.clock.clearTimeout(this.#retry);
    this.#retry = undefined;
    const dialling = this.#dialling;
    this.#dialling = undefined;
    dialling?.abort();
  }

  /** Ends the connection whose network cable was pulled out. */
  #endCutLink(): void {
    this.#cutLink?.fail(closeCodes.goingAway, 'the network was cut');
    this.#cutLink = undefined;
  }
}
