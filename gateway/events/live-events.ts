import type { Clock } from '../../shared/clock.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Hints } from '../peers/hints.ts';

/** An event may be on disk so much later than others with higher numbers. */
const lateMs = 10_000;

/** The hint that a gateway made an event. */
export const madeOne = 'events';

interface LiveParts<Event> {
  clock: Clock;
  realClock: Clock;
  everyMs: number;
  hints: Pick<Hints, 'subscribe'>;
  /** Those made since a moment, in their order. */
  read(sinceMs: number): Promise<readonly Event[]>;
  notify(events: readonly Event[]): void;
}

/**
 * Reports the events of all gateways of a database from now on, each once, those of one resource in their order: each round
 * reads those of the last seconds, and reports what the former one did not find.
 */
export class LiveEvents<Event extends { id: string; createdAt: number }> {
  readonly #parts: LiveParts<Event>;
  readonly #rounds: Rounds;
  readonly #since: number;
  readonly #stopHints: () => void;
  #readAt: number;
  #known = new Set<string>();

  constructor(parts: LiveParts<Event>) {
    this.#parts = parts;
    this.#since = parts.clock.now();
    this.#readAt = this.#since;
    this.#rounds = new Rounds(parts.realClock, parts.everyMs, () => this.#round());
    this.#stopHints = parts.hints.subscribe(madeOne, () => void this.look());
  }

  /** Reads now; resolves when what is on disk is reported. */
  look(): Promise<void> {
    return this.#rounds.now();
  }

  stop(): Promise<void> {
    this.#stopHints();
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
