import type { Runtime } from '../runtime.ts';
import { closeCodes, Link } from './link.ts';
import { DialError, dialLink, openWebSocket } from './link-client.ts';
import { ProtocolBreachError, type RecordKind, recordKinds } from './records.ts';
import {
  type CarrierSocket,
  mayArriveLate,
  mostChannels,
  SharedSocket,
  sharedProtocol,
  singleLinkProtocol,
} from './shared-socket.ts';
import type { ConnectOptions } from './socket.ts';

/** The time limit for opening a channel, in ms. The time limit for opening a socket is the same. */
const openingMs = 10_000;

const givenUp = 'the attempt to connect was given up';

type Ready = (link: Link) => void;

/** Reports how the opening of a channel ended. */
type Answered = (refusal?: DialError) => void;

/** The terminals' end of one shared socket. */
class ChannelClient {
  readonly #socket: SharedSocket;
  readonly #runtime: Runtime;
  readonly #waiting = new Map<number, Answered>();
  #latest = 0;

  constructor(socket: CarrierSocket, runtime: Runtime, ended: () => void) {
    this.#runtime = runtime;
    this.#socket = new SharedSocket(socket, runtime, {
      unopened: (kind, id, content) => this.#unopened(kind, id, content),
      emptied: () => {},
      ended: () => {
        ended();
        for (const answered of [...this.#waiting.values()]) answered(connectionEnded());
      },
    });
  }

  /** @throws DialError if the gateway refuses or does not answer, or if `signal` aborts */
  open({ url, headers, signal }: ConnectOptions, ready: Ready): Promise<Link> {
    if (!this.#socket.open) return Promise.reject(connectionEnded());
    const { identifiers, realClock } = this.#runtime;
    const linkId = identifiers.next();
    const id = ++this.#latest;
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) => {
        this.#socket.say(recordKinds.reset, id);
        this.#waiting.get(id)?.(new DialError(why));
      };
      const abort = () => giveUp(givenUp);
      const limit = realClock.setTimeout(() => giveUp('the gateway did not answer in time'), openingMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.set(id, (refusal) => {
        this.#waiting.delete(id);
        realClock.clearTimeout(limit);
        signal?.removeEventListener('abort', abort);
        if (refusal) return reject(refusal);
        const link = new Link(this.#socket.add(id), linkId, new URL(url).pathname, this.#runtime);
        ready(link);
        resolve(link);
      });
      this.#socket.say(recordKinds.open, id, JSON.stringify({ ...headers, 'pinpad-link': linkId }));
    });
  }

  close(): void {
    this.#socket.close();
  }

  #unopened(kind: RecordKind, id: number, content: Buffer): void {
    if (kind === recordKinds.open || id > this.#latest)
      throw new ProtocolBreachError('a record for a channel that was never requested');
    if (!mayArriveLate(kind))
      this.#waiting.get(id)?.(kind === recordKinds.refused ? refusalIn(content) : undefined);
  }
}

/** A shared socket that is open or is being dialled. */
interface Carrier {
  readonly url: string;
  /** The terminals' end of the socket; undefined if the other end does not share sockets. */
  readonly client: Promise<ChannelClient | undefined>;
  /** The number of links on the socket that are open or are being opened. */
  links: number;
}

/** Opens links for the terminals of one process. The links share sockets if the gateway supports shared sockets. */
export class SharedLinkDialer {
  readonly #runtime: Runtime;
  readonly #wantsSharing: () => boolean;
  readonly #carriers = new Set<Carrier>();
  #gatewayShares = true;

  /** `wanted` says whether links should share sockets now. A process with a single terminal needs no shared socket. */
  constructor(runtime: Runtime, wanted: () => boolean) {
    this.#runtime = runtime;
    this.#wantsSharing = wanted;
  }

  /** Opens a link like {@link dialLink}, on a shared socket if that is possible. */
  async dial(options: ConnectOptions, ready: Ready): Promise<Link> {
    const dialling = this.#runtime.inFlight.begin();
    try {
      while (this.#gatewayShares && this.#wantsSharing()) {
        const link = await this.#openOn(this.#carrierWithRoom(options.url), options, ready);
        if (link) return link;
      }
      return await dialLink(options, this.#runtime, ready);
    } finally {
      dialling();
    }
  }

  #carrierWithRoom(url: string): Carrier | undefined {
    for (const carrier of this.#carriers)
      if (carrier.url === url && carrier.links < mostChannels) return carrier;
    return undefined;
  }

  /** Opens a link on a shared socket. Gives undefined if the caller has to try again, on another socket. */
  async #openOn(
    existing: Carrier | undefined,
    options: ConnectOptions,
    ready: Ready,
  ): Promise<Link | undefined> {
    const carrier = existing ?? this.#dialCarrier(options);
    carrier.links++;
    try {
      const client = await carrier.client;
      if (options.signal?.aborted) throw new DialError(givenUp);
      const link = await client?.open(options, ready);
      link?.onClosed((code) => this.#freePlace(carrier, meansDeadEnd(code)));
      return link;
    } catch (error) {
      const unanswered = error instanceof DialError && error.status === undefined && !options.signal?.aborted;
      this.#freePlace(carrier, unanswered);
      // The gateway has refused the key of the terminal that dialled the socket. Terminals that waited for that socket
      // have other keys, so they try again.
      if (existing && error instanceof DialError && isRefusedKey(error) && !this.#carriers.has(existing))
        return undefined;
      throw error;
    }
  }

  #dialCarrier({ url, headers }: ConnectOptions): Carrier {
    const client = openWebSocket(
      { url, headers },
      [singleLinkProtocol, sharedProtocol],
      this.#runtime,
      (socket) => {
        if (socket.protocol === sharedProtocol)
          return new ChannelClient(socket, this.#runtime, () => this.#carriers.delete(carrier));
        this.#gatewayShares = false;
        socket.terminate();
        return undefined;
      },
    );
    const carrier: Carrier = {
      url,
      client: client.catch((error) => this.#noteNoSharing(error)),
      links: 0,
    };
    this.#carriers.add(carrier);
    const forget = () => this.#carriers.delete(carrier);
    carrier.client.then((shared) => shared ?? forget(), forget);
    return carrier;
  }

  /** Notes that the server does not share sockets, because it chose neither of the two sub-protocols. */
  #noteNoSharing(error: Error): undefined {
    if (!error.message.includes('no subprotocol')) throw error;
    this.#gatewayShares = false;
  }

  /**
   * Frees the place that a link had on a socket. A socket without links is closed only in a later turn of the event
   * loop, because the caller may open another link at once. `isSuspect` says that the other end of the socket may be
   * gone. In that case, no further link is opened on the socket. The links that are already on the socket remain until
   * they notice that its other end is gone.
   */
  #freePlace(carrier: Carrier, isSuspect = false): void {
    carrier.links--;
    if (isSuspect) this.#carriers.delete(carrier);
    setImmediate(() => {
      if (carrier.links > 0) return;
      this.#carriers.delete(carrier);
      carrier.client.then((client) => client?.close()).catch(() => {});
    });
  }
}

function meansDeadEnd(code: number): boolean {
  return code === closeCodes.silent || code === closeCodes.unacknowledged;
}

function connectionEnded(): DialError {
  return new DialError('the connection ended before the link was open');
}

function isRefusedKey({ status }: DialError): boolean {
  return status === 401 || status === 403;
}

function refusalIn(content: Buffer): DialError {
  try {
    const { status } = JSON.parse(content.toString()) as { status: number };
    return new DialError(`the gateway answered ${status}`, status);
  } catch {
    throw new ProtocolBreachError('the refusal of a channel has no status');
  }
}
