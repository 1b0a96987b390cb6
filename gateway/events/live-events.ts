import type { Clock } from '../../shared/clock.ts';
import { Rounds } from '../../shared/rounds.ts';

/** An event may be on disk so much later than others with higher numbers. */
const lateMs = 10_000;

/** Other gateways, which make events too. */
export interface OtherMakers {
  /** How often it is looked for what they made, if nobody says that there is something. */
  readonly everyMs: number;
  /** This gateway has made one. */
  tell(): void;
  /** Calls `run` when another gateway has made one; returns how to stop. */
  hear(run: () => void): () => void;
}

interface LiveParts<Event> {
  clock: Clock;
  realClock: Clock;
  others: Pick<OtherMakers, 'everyMs' | 'hear'>;
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
  readonly #stopHearing: () => void;
  #readAt: number;
  #known = new Set<string>();

  constructor(parts: LiveParts<Event>) {
    this.#parts = parts;
    this.#since = parts.clock.now();
    this.#readAt = this.#since;
    this.#rounds = new Rounds(parts.realClock, parts.others.everyMs, () => this.#round());
    this.#stopHearing = parts.others.hear(() => void this.look());
  }

  /** Reads now; resolves when what is on disk is reported. */
  look(): Promise<void> {
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
