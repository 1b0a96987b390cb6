import { z } from 'zod';
import { journalNameOf } from '../../../shared/journal-position.ts';
import { askLivingGateways, type LivingGateways } from './ask-living-gateways.ts';
import type { JournalSources } from './journal-sources.ts';

/** The subject on which a gateway announces that it is ending. */
const leavingSubject = 'journal.leaving';

const leavingSchema = z.object({
  run: z.string(),
  gateway: z.string(),
  last: z.number(),
  /**
   * Says which gateways must now fetch the entries that they do not have yet. With `readers`, only the gateways that
   * have a reader must fetch them.
   */
  by: z.enum(['all', 'readers', 'nobody']),
});
type Leaving = z.infer<typeof leavingSchema>;
const fetchedSchema = z.object({ fetched: z.boolean() });

/**
 * The time limit in ms for other gateways to fetch entries. It is longer than the time limit for one answer, because
 * each of these gateways may itself wait for a gateway that does not answer.
 */
const fetchMs = 2_000;

interface FarewellParts extends LivingGateways {
  sources: JournalSources;
  /** The identifier of this process. */
  run: string;
  /** Fetches entries from the gateways that made them. */
  fetch(): Promise<void>;
  /** Called when the gateway `run` has ended. No gateway need wait for its answers. */
  ended(run: string): void;
}

/**
 * Saves the journal of a gateway that ends normally. Such a gateway announces that it is ending, and waits until the
 * other gateways have fetched its journal.
 */
export class JournalFarewell {
  readonly #parts: FarewellParts;
  #isRead = false;

  constructor(parts: FarewellParts) {
    this.#parts = parts;
    parts.hints.subscribe(leavingSubject, (data) => this.#otherLeaves(leavingSchema.parse(data)));
  }

  /** Notes that this gateway's journal has a reader. The reader's position may name this journal. */
  noteRead(): void {
    this.#isRead = true;
  }

  /** Announces that this gateway is ending, and that its journal's last entry has the number `last`. */
  async leave(last: number): Promise<void> {
    const { run, sources, hints } = this.#parts;
    const said = { run, gateway: sources.own.gateway, last };
    if (!this.#isRead) return hints.publish(leavingSubject, { ...said, by: 'nobody' });
    const isFetched = await this.#announce({ ...said, by: 'readers' });
    if (!isFetched) await this.#announce({ ...said, by: 'all' });
  }

  /** Returns whether any of the other gateways has fetched this gateway's entries. */
  async #announce(said: Leaving): Promise<boolean> {
    let isFetched = false;
    await askLivingGateways(this.#parts, leavingSubject, said, fetchMs, (answer) => {
      isFetched ||= fetchedSchema.safeParse(answer).data?.fetched ?? false;
    });
    return isFetched;
  }

  async #otherLeaves({ run, gateway, last, by }: Leaving): Promise<{ fetched: boolean }> {
    const { sources, fetch, ended } = this.#parts;
    const fetches = by === 'all' || (by === 'readers' && this.#isRead);
    if (fetches) {
      await fetch();
      sources.add(journalNameOf(run), gateway).ended = last;
    }
    ended(run);
    return { fetched: fetches };
  }
}
