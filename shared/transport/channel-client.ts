import type { Runtime } from '../runtime.ts';
import { Link } from './link.ts';
import { DialError } from './link-client.ts';
import { ProtocolBreachError, type RecordKind, recordKinds } from './records.ts';
import { type CarrierSocket, mayArriveLate, SharedSocket } from './shared-socket.ts';
import type { ConnectOptions } from './socket.ts';

/** The time limit for opening a channel, in ms. The time limit for opening a socket is the same. */
const openingMs = 10_000;

export const givenUpText = 'the attempt to connect was given up';

/** A channel that is being opened. */
interface Opening {
  opened(): void;
  refused(error: DialError): void;
}

/** The terminals' end of one shared socket. */
export class ChannelClient {
  readonly #socket: SharedSocket;
  readonly #runtime: Runtime;
  readonly #waiting = new Map<number, Opening>();
  #latest = 0;

  constructor(socket: CarrierSocket, runtime: Runtime, ended: () => void) {
    this.#runtime = runtime;
    this.#socket = new SharedSocket(socket, runtime, {
      unopened: (kind, id, content) => this.#unopened(kind, id, content),
      emptied: () => {},
      ended: () => {
        ended();
        for (const opening of [...this.#waiting.values()]) opening.refused(connectionEnded());
      },
    });
  }

  /** @throws DialError if the gateway refuses or does not answer, or if `signal` aborts */
  open({ url, headers, signal }: ConnectOptions, ready: (link: Link) => void): Promise<Link> {
    if (!this.#socket.open) return Promise.reject(connectionEnded());
    const { identifiers, realClock } = this.#runtime;
    const linkId = identifiers.next();
    const id = ++this.#latest;
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) => {
        this.#socket.say(recordKinds.reset, id);
        this.#waiting.get(id)?.refused(new DialError(why));
      };
      const abort = () => giveUp(givenUpText);
      const limit = realClock.setTimeout(() => giveUp('the gateway did not answer in time'), openingMs);
      const endWait = () => {
        this.#waiting.delete(id);
        realClock.clearTimeout(limit);
        signal?.removeEventListener('abort', abort);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.set(id, {
        opened: () => {
          endWait();
          const link = new Link(this.#socket.add(id), linkId, new URL(url).pathname, this.#runtime);
          ready(link);
          resolve(link);
        },
        refused: (error) => {
          endWait();
          reject(error);
        },
      });
      this.#socket.say(recordKinds.open, id, JSON.stringify({ ...headers, 'pinpad-link': linkId }));
    });
  }

  close(): void {
    this.#socket.close();
  }

  /** Handles a record about a channel that is not open. */
  #unopened(kind: RecordKind, id: number, content: Buffer): void {
    if (kind === recordKinds.open || id > this.#latest)
      throw new ProtocolBreachError('a record for a channel that was never requested');
    if (mayArriveLate(kind)) return;
    const opening = this.#waiting.get(id);
    if (kind === recordKinds.refused) opening?.refused(refusalIn(content));
    else opening?.opened();
  }
}

function connectionEnded(): DialError {
  return new DialError('the connection ended before the link was open');
}

function refusalIn(content: Buffer): DialError {
  try {
    const { status } = JSON.parse(content.toString()) as { status: number };
    return new DialError(`the gateway answered ${status}`, status);
  } catch {
    throw new ProtocolBreachError('the refusal of a channel has no status');
  }
}
