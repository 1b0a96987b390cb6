import { z } from 'zod';
import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { Hints } from './hints/hints.ts';

/**
 * The answer of a gateway to the question which entries it has after one of its own numbers; the oldest comes first.
 */
const page = z.object({
  /** The name of the process whose numbers these are. */
  run: z.string(),
  after: z.number(),
  last: z.number(),
  /** Whether the gateway has more entries than these. */
  more: z.boolean(),
  items: z.array(z.unknown()),
  /** The answering gateway's facts about all of its entries. */
  about: z.unknown().optional(),
});
export type CollectedPage = z.infer<typeof page>;

/**
 * The most characters that an answer carries. Whichever characters they are, the answer stays below the million bytes
 * of a NATS message.
 */
export const mostPageChars = 150_000;

const asked = z.object({ after: z.record(z.string(), z.number()) });
/** The first message of a gateway. From then on the other gateways wait for its answers. */
const arrived = z.object({ run: z.string() });

/** How long a round waits for gateways that this one does not know yet. */
const strangersMs = 300;
/** How long a round waits for a gateway that is known. */
const knownMs = 1_000;
/** A gateway that was asked and has not answered for this long is no longer waited for. */
const goneAfterMs = 3_000;
/** The interval between rounds while there is a reader. */
const everyMs = 100;
/** The most rounds in a row, whatever the other gateways still have: under load there is always more. */
const mostRounds = 200;

interface CollectorParts {
  hints: Hints;
  clock: Clock;
  subject: string;
  /** Takes in a page of another gateway. Each page comes once. */
  take(page: CollectedPage): void;
  /** Called when a round is over: each other gateway that can be reached has answered. */
  done(): void;
  /** Called when a gateway is gone. If it comes back, everything that it has is collected again. */
  gone?(run: string): void;
  /** Whether there is a reader. As long as there is one, rounds follow each other. */
  wanted(): boolean;
}

/**
 * Collects what all other gateways have, each piece once, while there is a reader. Without a reader nothing is sent.
 */
export class Collector {
  readonly #parts: CollectorParts;
  /** The number up to which each gateway's entries have been collected, by the gateway's run. */
  #had = new Map<string, number>();
  /**
   * The known gateways. A gateway that is silent has the moment since which it has been silent, on the monotonic clock.
   */
  #known = new Map<string, number | undefined>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: TimerHandle;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
    parts.hints.subscribe(arrival(parts.subject), (data) => {
      const { run } = arrived.parse(data);
      this.#known.set(run, undefined);
    });
  }

  /** Resolves when everything that the reachable gateways have at this moment has been collected. */
  now(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#collect();
      return this.#running;
    });
    return this.#next;
  }

  /** Call this when a gateway said that it ends. The rounds do not wait for it any more. */
  left(run: string): void {
    this.#known.delete(run);
  }

  async #collect(): Promise<void> {
    const { clock, wanted, done } = this.#parts;
    clock.clearTimeout(this.#timer);
    let more = true;
    for (let rounds = 0; more && rounds < mostRounds; rounds++) {
      more = await this.#round();
      done();
    }
    if (wanted()) this.#timer = clock.setTimeout(() => void (wanted() && this.now()), everyMs);
  }

  /** Asks all gateways once. Gives whether one of them had more than one answer can carry. */
  async #round(): Promise<boolean> {
    const { hints, subject } = this.#parts;
    const missing = new Set(this.#known.keys());
    let more = false;
    await new Promise<void>((resolve) => {
      const answered = (answer: unknown) => {
        const { data } = page.safeParse(answer);
        if (!data) return;
        if (this.#took(data)) more ||= data.more;
        if (missing.delete(data.run) && missing.size === 0) resolve();
      };
      const after = Object.fromEntries(this.#had);
      const timeoutMs = missing.size > 0 ? knownMs : strangersMs;
      void hints.gather(subject, { after }, { timeoutMs }, answered).then(resolve);
    });
    for (const run of missing) this.#missed(run);
    return more;
  }

  /** Takes in an answer. Gives false if it came too late, because the same entries were requested again. */
  #took(answer: CollectedPage): boolean {
    this.#known.set(answer.run, undefined);
    if (answer.after !== (this.#had.get(answer.run) ?? 0)) return false;
    this.#had.set(answer.run, answer.last);
    this.#parts.take(answer);
    return true;
  }

  #missed(run: string): void {
    const { clock, gone } = this.#parts;
    const now = clock.monotonic();
    const since = this.#known.get(run) ?? now;
    this.#known.set(run, since);
    if (now - since <= goneAfterMs) return;
    this.#known.delete(run);
    if (gone) this.#had.delete(run);
    gone?.(run);
  }
}

/**
 * Answers the collectors of other gateways with what this gateway has. `pageAfter` gives the page that follows a
 * number.
 */
export function offer(
  hints: Hints,
  subject: string,
  run: string,
  pageAfter: (after: number) => Promise<Omit<CollectedPage, 'run' | 'after'>>,
): void {
  hints.subscribe(subject, async (data) => {
    const after = asked.parse(data).after[run] ?? 0;
    return { ...(await pageAfter(after)), run, after } satisfies CollectedPage;
  });
  hints.publish(arrival(subject), { run });
}

function arrival(subject: string): string {
  return `${subject}.arrived`;
}
