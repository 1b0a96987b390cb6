import { z } from 'zod';
import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { HintBus } from './hints/hints.ts';

/** A gateway's answer to another gateway: the entries after the entry number in the question, the oldest first. */
const page = z.object({
  /** The identifier of the answering process. The entry numbers in the answer belong to that process. */
  run: z.string(),
  after: z.number(),
  last: z.number(),
  /** Whether the gateway has more entries than the answer contains. */
  more: z.boolean(),
  items: z.array(z.unknown()),
  /** Data of the answering gateway that apply to all entries in the answer, such as the gateway's name. */
  about: z.unknown().optional(),
});
export type CollectedPage = z.infer<typeof page>;

/**
 * The maximum number of characters in an answer. A NATS message may have a million bytes. An answer of this length
 * stays below that limit even if each character takes several bytes.
 */
export const maxPageChars = 150_000;

const asked = z.object({ after: z.record(z.string(), z.number()) });
/**
 * The message that a gateway sends when it starts. The other gateways then expect this gateway to answer each question.
 */
const arrived = z.object({ run: z.string() });

/** The time limit in ms for answers if no other gateway is known. */
const strangersMs = 300;
/** The time limit in ms for answers if other gateways are known. */
const knownMs = 1_000;
/** After this many ms without an answer from a gateway, the collector no longer waits for that gateway. */
const goneAfterMs = 3_000;
/** The time in ms between two questions to the other gateways. A gateway asks only while it has a reader. */
const everyMs = 100;
/**
 * The maximum number of questions that are asked one after the other without a pause. Without a maximum, the questions
 * would not end under load, because the other gateways would always have more to send.
 */
const mostRounds = 200;

interface CollectorParts {
  hints: HintBus;
  clock: Clock;
  subject: string;
  /** Receives a page of another gateway's items. The collector passes each page only once. */
  take(page: CollectedPage): void;
  /** Called after each question, when all reachable gateways have answered it. */
  done(): void;
  /** Called when a gateway no longer answers. If the gateway comes back, all its items are collected again. */
  gone?(run: string): void;
  /** Whether the items have a reader. While they have one, the collector asks the other gateways at short intervals. */
  wanted(): boolean;
}

/**
 * Collects the items of all other gateways, each item once. The collector asks the other gateways only while the items
 * have a reader.
 */
export class CrossGatewayCollector {
  readonly #parts: CollectorParts;
  /** The number of the last entry that was collected from each gateway, by the identifier of the gateway's process. */
  #had = new Map<string, number>();
  /**
   * The known gateways. The value is undefined for a gateway that answers. For a silent gateway, it is the time of the
   * first missing answer, on the monotonic clock.
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

  /** Resolves when this collector has every item that the reachable gateways had at the time of this call. */
  now(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#collect();
      return this.#running;
    });
    return this.#next;
  }

  /** Call this when a gateway has announced that it is ending. The collector no longer waits for that gateway. */
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

  /** Asks all gateways once. Returns whether any gateway had more items than fit into one answer. */
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

  /** Accepts an answer. Returns false for a late answer, whose entries have been requested again in the meantime. */
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
 * Answers the collectors of other gateways with the items of this gateway. `pageAfter` gives the page of items that
 * follow a number.
 */
export function answerCollectors(
  hints: HintBus,
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
