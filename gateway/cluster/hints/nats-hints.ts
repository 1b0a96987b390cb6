import {
  type ConnectionOptions,
  connect,
  type Msg,
  type NatsConnection,
  RequestError,
  type Subscription,
  TimeoutError,
} from '@nats-io/transport-node';
import { delay } from '../../../shared/clock.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { HintBus, HintHandler, HintReply } from './hints.ts';
import { parseNatsOptions } from './nats-address.ts';
import type { MessageSealer } from './seal.ts';

const connectWithinMs = 3_000;
const tryAgainAfterMs = 1_000;
/** The time between pings, in ms. If a server does not answer two pings, the connection counts as lost. */
const pingEveryMs = 2_000;
/**
 * The maximum size of a message that is read, in bytes. No gateway sends a longer message, because a NATS server
 * normally allows only a million bytes.
 */
const mostBytes = 2_000_000;

interface Listener {
  readonly subject: string;
  readonly handler: HintHandler;
  subscription: Subscription | undefined;
}

/** Sends hints over NATS. If the connection is lost, this class connects again and renews all subscriptions. */
export class NatsHintBus implements HintBus {
  readonly #key: MessageSealer;
  readonly #runtime: Runtime;
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<Listener>();
  readonly #closing = new AbortController();
  #said: [place: string, data: unknown][] = [];
  #connection: NatsConnection | undefined;
  #warned = false;

  private constructor(options: ConnectionOptions, key: MessageSealer, runtime: Runtime) {
    this.#options = options;
    this.#key = key;
    this.#runtime = runtime;
  }

  /** Resolves after the first attempt to connect, whether it succeeds or fails. */
  static async open(address: string, key: MessageSealer, runtime: Runtime): Promise<NatsHintBus> {
    const options: ConnectionOptions = {
      ...parseNatsOptions(address),
      name: 'pinpad',
      noEcho: true,
      noAsyncTraces: true,
      reconnect: false, // this class itself connects again, in `#stayConnected`
      timeout: connectWithinMs,
      pingInterval: pingEveryMs,
      maxPingOut: 2,
    };
    const hints = new NatsHintBus(options, key, runtime);
    await new Promise<void>((resolve) => void hints.#stayConnected(resolve));
    return hints;
  }

  publish(subject: string, data?: unknown): void {
    this.#send(this.#full(subject), data);
  }

  subscribe(subject: string, handler: HintHandler): () => void {
    const listener: Listener = { subject: this.#full(subject), handler, subscription: undefined };
    this.#listeners.add(listener);
    this.#listen(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#isOpen()) listener.subscription?.unsubscribe();
    };
  }

  async request(subject: string, data: unknown, { timeoutMs }: { timeoutMs: number }): Promise<HintReply> {
    const place = this.#full(subject);
    if (!this.#connection || !this.#isOpen()) return { is: 'unreachable' };
    try {
      const sealed = this.#key.seal(data, place);
      const answer = await this.#connection.request(place, sealed, { timeout: timeoutMs });
      const opened = this.#key.open(answer.data, answer.subject);
      return opened ? { is: 'answer', data: opened.data } : { is: 'unreachable' };
    } catch (error) {
      if (error instanceof TimeoutError) return { is: 'silent' };
      return { is: error instanceof RequestError && error.isNoResponders() ? 'nobody' : 'unreachable' };
    }
  }

  async gather(
    subject: string,
    data: unknown,
    { timeoutMs }: { timeoutMs: number },
    each: (answer: unknown) => void,
  ): Promise<void> {
    const place = this.#full(subject);
    if (!this.#connection || !this.#isOpen()) return;
    try {
      const limits = { strategy: 'timer', maxWait: timeoutMs } as const;
      const answers = await this.#connection.requestMany(place, this.#key.seal(data, place), limits);
      for await (const answer of answers) {
        const opened = this.#key.open(answer.data, answer.subject);
        if (opened) each(opened.data);
      }
    } catch {
      // An error means either that no gateway listens, or that the connection has ended.
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#sendSaid();
    await this.#connection?.close();
  }

  async #stayConnected(tried: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const lost = await this.#connected(tried).catch((error: unknown) => error);
      tried();
      if (signal.aborted) return;
      this.#warn(lost);
      await delay(this.#runtime.realClock, tryAgainAfterMs, signal).catch(() => {});
    }
  }

  /** Connects to the server. Resolves with the reason when the connection ends. */
  async #connected(ready: () => void): Promise<unknown> {
    const connection = await connect(this.#options);
    if (this.#closing.signal.aborted) return connection.close();
    this.#connection = connection;
    for (const listener of this.#listeners) this.#listen(listener);
    void this.#watch(connection);
    if (this.#warned) this.#say('is reachable again');
    this.#warned = false;
    ready();
    return connection.closed();
  }

  /** Reports errors that do not end the connection, for example that this user may not listen to a subject. */
  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'error') this.#warn(status.error);
    }
  }

  #isOpen(): boolean {
    return this.#connection?.isClosed() === false;
  }

  #full(subject: string): string {
    return `pinpad.${this.#key.name}.${subject}`;
  }

  #listen(listener: Listener): void {
    if (!this.#isOpen()) return;
    listener.subscription = this.#connection?.subscribe(listener.subject, {
      callback: (error, message) => {
        if (!error) void this.#received(listener, message);
      },
    });
  }

  async #received({ handler, subject }: Listener, message: Msg): Promise<void> {
    if (message.data.length > mostBytes) return;
    const opened = this.#key.open(message.data, subject);
    if (!opened) return;
    try {
      const answer = await handler(opened.data);
      if (message.reply) this.#send(message.reply, answer);
    } catch (error) {
      this.#say(
        `delivered a message that this gateway cannot handle: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  /** Collects the messages of one turn of the event loop, and sends them in a single write. */
  #send(place: string, data: unknown): void {
    if (!this.#isOpen()) return;
    if (this.#said.push([place, data]) === 1) setImmediate(() => this.#sendSaid());
  }

  #sendSaid(): void {
    for (const [place, data] of this.#said.splice(0)) {
      try {
        this.#connection?.publish(place, this.#key.seal(data, place));
      } catch {
        // An error means that the message is lost: the message is longer than the server allows, or the connection has
        // just ended.
      }
    }
  }

  #warn(reason: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const why = reason instanceof Error ? reason.message : 'the connection ended';
    this.#say(
      `cannot be used (${why}): payments go on, but the terminals and journals of other gateways cannot be reached`,
    );
  }

  #say(what: string): void {
    const servers = [this.#options.servers].flat().join(', ');
    this.#runtime.journal.add('warning', { message: `NATS at ${servers} ${what}` });
  }
}
