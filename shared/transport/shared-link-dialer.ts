import type { Runtime } from '../runtime.ts';
import { ChannelClient, givenUpText } from './channel-client.ts';
import { closeCodes, type Link } from './link.ts';
import { DialError, dialLink, openWebSocket } from './link-client.ts';
import { maxChannelsPerSocket, sharedSocketProtocol, singleLinkProtocol } from './shared-socket.ts';
import type { ConnectOptions } from './socket.ts';

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
  async dial(options: ConnectOptions, ready: (link: Link) => void): Promise<Link> {
    const dialling = this.#runtime.inFlight.begin();
    try {
      while (this.#gatewayShares && this.#wantsSharing()) {
        const link = await this.#openOn(this.#carrierWithRoom(options.url), options, ready);
        if (link !== 'tryAgain') return link;
      }
      return await dialLink(options, this.#runtime, ready);
    } finally {
      dialling();
    }
  }

  #carrierWithRoom(url: string): Carrier | undefined {
    for (const carrier of this.#carriers)
      if (carrier.url === url && carrier.links < maxChannelsPerSocket) return carrier;
    return undefined;
  }

  /**
   * Opens a link on a shared socket. Gives `tryAgain` if the gateway does not share sockets, or if the caller has to try
   * again on another socket.
   */
  async #openOn(
    existing: Carrier | undefined,
    options: ConnectOptions,
    ready: (link: Link) => void,
  ): Promise<Link | 'tryAgain'> {
    const carrier = existing ?? this.#dialCarrier(options);
    carrier.links++;
    try {
      const client = await carrier.client;
      if (options.signal?.aborted) throw new DialError(givenUpText);
      if (!client) return 'tryAgain';
      const link = await client.open(options, ready);
      link.onClosed((code) => this.#freePlace(carrier, meansDeadEnd(code)));
      return link;
    } catch (error) {
      this.#freePlace(carrier, isWithoutAnswer(error, options));
      // The gateway has refused the key of the terminal that dialled the socket. Terminals that waited for that socket
      // have other keys, so they try again.
      const keyWasOfAnother = existing !== undefined && isRefusedKey(error) && !this.#carriers.has(existing);
      if (keyWasOfAnother) return 'tryAgain';
      throw error;
    }
  }

  #dialCarrier({ url, headers }: ConnectOptions): Carrier {
    const client = openWebSocket(
      { url, headers },
      [singleLinkProtocol, sharedSocketProtocol],
      this.#runtime,
      (socket) => {
        if (socket.protocol === sharedSocketProtocol)
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

/** Whether the link could not be opened because the gateway did not answer, and not because the caller gave up. */
function isWithoutAnswer(error: unknown, { signal }: ConnectOptions): boolean {
  return error instanceof DialError && error.status === undefined && !signal?.aborted;
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof DialError && (error.status === 401 || error.status === 403);
}
