import { z } from 'zod';
import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { Hints } from './hints/hints.ts';

/** What a gateway that is asked has after a number of its own, oldest first. */
const page = z.object({
  /** Names its process, whose numbers they are. */
  run: z.string(),
  after: z.number(),
  last: z.number(),
  /** There is more behind these. */
  more: z.boolean(),
  items: z.array(z.unknown()),
  /** What the one who offers says of all of it. */
  about: z.unknown().optional(),
});
export type CollectedPage = z.infer<typeof page>;

/** Characters of what is offered in an answer: whatever they are, it stays below the million bytes of a NATS message. */
export const mostPageChars = 150_000;

const asked = z.object({ after: z.record(z.string(), z.number()) });
/** A gateway that has just begun to offer: the others wait for its answers from now on. */
const arrived = z.object({ run: z.string() });

/** How long is waited for gateways that are not known to be there. */
const strangersMs = 300;
/** How long for one that is. */
const knownMs = 1_000;
/** One that has not answered for so long, though it was asked, is not waited for. */
const goneAfterMs = 3_000;
/** So often is asked while somebody looks on. */
const everyMs = 100;
/** However much a gateway has, others have their turn. */
const mostRounds = 200;

interface CollectorParts {
  hints: Hints;
  clock: Clock;
  subject: string;
  /** A page of another gateway, each once. */
  take(page: CollectedPage): void;
  /** A round is over: each of the others that can be reached has answered. */
  done(): void;
  /** A gateway is not there any more; should it come back, all it has is taken again. */
  gone?(run: string): void;
  /** Whether somebody looks on; then it goes round after round. */
  wanted(): boolean;
}

/** Fetches what all other gateways have, each piece once, when somebody looks: where nobody does nothing is sent. */
export class Collector {
  readonly #parts: CollectorParts;
  /** Up to which number what a gateway has is here, by its run. */
  #had = new Map<string, number>();
  /** The gateways that are there; with since when one has not answered, on the monotonic clock. */
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

  /** Resolves once what the others have now is here, of those that can be reached. */
  now(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#collect();
      return this.#running;
    });
    return this.#next;
  }

  /** A gateway has said that it ends: it is not waited for. */
  left(run: string): void {
    this.#known.delete(run);
  }

  async #collect(): Promise<void> {
    const { clock, wanted, done } = this.#parts;
    clock.clearTimeout(this.#timer);
    let more = true;
    for (let rounds = 0; more && rounds < mostRounds; rounds++) {
      more = await this.#round();
      done(); // under load there is always more
    }
    if (wanted()) this.#timer = clock.setTimeout(() => void (wanted() && this.now()), everyMs);
  }

  /** Whether a gateway had more than fits its answer. */
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

  /** False for an answer that came too late: what it has was asked for again. */
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

/** Answers what collectors of other gateways ask: `pageAfter` gives what is behind a number. */
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
