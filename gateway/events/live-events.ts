import type { Clock } from '../../shared/clock.ts';
import { Rounds } from '../../shared/rounds.ts';

/** How much later an event may be on disk than events with higher numbers. */
const lateMs = 10_000;

/** The other gateways of the database, which make events too. */
export interface OtherMakers {
  /** How often to look for their events if no gateway says that there are some. */
  readonly everyMs: number;
  /** Tells the other gateways that this one has made an event. */
  tell(): void;
  /** Calls `run` when another gateway has made an event; returns how to stop. */
  hear(run: () => void): () => void;
}

interface LiveParts<Event> {
  clock: Clock;
  realClock: Clock;
  otherGateways: Pick<OtherMakers, 'everyMs' | 'hear'>;
  /** Reads the events made since a moment, in their order. */
  read(sinceMs: number): Promise<readonly Event[]>;
  notify(events: readonly Event[]): void;
}

/**
 * Reports the events of all gateways of a database from now on, each once, and those of one resource in their order. Each
 * round reads the events of the last seconds, and reports those that the former round did not find.
 */
export class LiveEvents<Event extends { id: string; createdAt: number }> {
  readonly #parts: LiveParts<Event>;
  readonly #rounds: Rounds;
  readonly #since: number;
  readonly #stopHearing: () => void;
  #readAt: number;
  #known = new Set<string>();

  constructor(parts: LiveParts<Event>) {
    this.#parts = parts;
    this.#since = parts.clock.now();
    this.#readAt = this.#since;
    this.#rounds = new Rounds(parts.realClock, parts.otherGateways.everyMs, () => this.#round());
    this.#stopHearing = parts.otherGateways.hear(() => void this.readNow());
  }

  /** Reads now. Resolves when all events on disk are reported. */
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
