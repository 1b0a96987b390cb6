import type { Clock } from '../../shared/clock.ts';
import { PeriodicRunner } from '../../shared/rounds.ts';

/**
 * Events are not always stored in the order of their numbers. An event may be stored up to this many ms later than an
 * event with a higher number.
 */
const lateMs = 10_000;

/** The other gateways of the database. These gateways also make events. */
export interface OtherEventSources {
  /**
   * The time in ms between two readings of the other gateways' events. If a gateway announces an event, the events are
   * read at once.
   */
  readonly everyMs: number;
  /** Tells the other gateways that this gateway has made an event. */
  tell(): void;
  /** Calls `run` when another gateway has made an event. Returns a function that ends these calls. */
  hear(run: () => void): () => void;
}

interface LiveParts<Event> {
  clock: Clock;
  realClock: Clock;
  otherGateways: Pick<OtherEventSources, 'everyMs' | 'hear'>;
  /** Reads the events that were made since a certain time, in the order of their numbers. */
  read(sinceMs: number): Promise<readonly Event[]>;
  notify(events: readonly Event[]): void;
}

/**
 * From now on, reports the events of all gateways of a database. Each event is reported once, and events of one
 * resource are reported in their order. A gateway may store an event some seconds late. So the events of the last
 * seconds are read again and again, and the events that were not reported yet are reported.
 */
export class LiveEventFeed<Event extends { id: string; createdAt: number }> {
  readonly #parts: LiveParts<Event>;
  readonly #rounds: PeriodicRunner;
  readonly #since: number;
  readonly #stopHearing: () => void;
  #readAt: number;
  #known = new Set<string>();

  constructor(parts: LiveParts<Event>) {
    this.#parts = parts;
    this.#since = parts.clock.now();
    this.#readAt = this.#since;
    this.#rounds = new PeriodicRunner(parts.realClock, parts.otherGateways.everyMs, () => this.#round());
    this.#stopHearing = parts.otherGateways.hear(() => void this.readNow());
  }

  /** Reads the events now. Resolves when all events on disk have been reported. */
  readNow(): Promise<void> {
    return this.#rounds.now();
  }

  stop(): Promise<void> {
    this.#stopHearing();
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    const readAt = this.#parts.clock.now();
    const events = await this.#parts.read(this.#readAt - lateMs);
    const isNew = ({ id, createdAt }: Event) => createdAt >= this.#since && !this.#known.has(id);
    const found = events.filter(isNew);
    this.#known = new Set(events.map(({ id }) => id));
    this.#readAt = readAt;
    if (found.length > 0) this.#parts.notify(found);
  }
}
