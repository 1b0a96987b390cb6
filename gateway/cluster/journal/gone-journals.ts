import { z } from 'zod';
import type { Clock } from '../../../shared/clock.ts';
import { type JournalPosition, journalNameOf } from '../../../shared/journal-position.ts';
import { maxPageChars } from '../collector.ts';
import type { GatewayMembership } from '../gateways.ts';
import type { HintBus } from '../hints/hints.ts';
import type { JournalSource, JournalSources } from './journal-sources.ts';
import { type SentEntry, sentEntrySchema } from './merged-entry.ts';

/** The subject on which a gateway asks for entries of gateways that no longer run. */
const askedSubject = 'journal.gone';
/** The subject on which a gateway announces that it is ending. */
const leavingSubject = 'journal.leaving';

const asked = z.object({ after: z.record(z.string(), z.number()) });
const heldJournal = z.object({
  journal: z.string(),
  gateway: z.string(),
  /** The number of the journal's last entry; absent if the gateway that made the journal may still be alive. */
  ended: z.number().optional(),
  taken: z.number(),
  items: z.array(sentEntrySchema),
  /** Whether the gateway has more entries than the answer contains. */
  more: z.boolean(),
});
type HeldJournal = z.infer<typeof heldJournal>;
const held = z.object({ journals: z.array(heldJournal) });
const leaving = z.object({
  run: z.string(),
  gateway: z.string(),
  last: z.number(),
  /**
   * Says which gateways must now fetch the entries that they do not have yet. With `readers`, only the gateways that
   * have a reader must fetch them.
   */
  by: z.enum(['all', 'readers', 'nobody']),
});
const fetched = z.object({ fetched: z.boolean() });

/** The time limit in ms for entries from other gateways. */
const answerMs = 1_000;
/**
 * The time limit in ms for other gateways to fetch entries. It is longer than `answerMs`, because each of these
 * gateways may itself wait for a gateway that does not answer.
 */
const fetchMs = 2_000;
/**
 * The time in ms between two checks. Each check finds out whether a silent gateway is dead. The gateway checks only
 * while it has a reader.
 */
const everyMs = 1_000;
/** The maximum number of requests that follow each other. Each request fetches one part of each wanted journal. */
const mostParts = 200;

interface GoneParts {
  hints: HintBus;
  gateways: Pick<GatewayMembership, 'others'>;
  sources: JournalSources;
  /** The identifier of this process. */
  run: string;
  clock: Clock;
  /** Returns the entries of a journal that follow a number, as far as this gateway has them. */
  entriesOf(journal: string, after: number): SentEntry[];
  take(source: JournalSource, sent: SentEntry): void;
  /**
   * Called when a gateway no longer runs, and this gateway has received all entries of its journal that other gateways
   * still have.
   */
  lost(source: JournalSource): void;
  /** Fetches entries from the gateways that made them. */
  fetch(): Promise<void>;
  /** Called when the gateway `run` has ended. No gateway need wait for its answers. */
  left(run: string): void;
}

/**
 * Saves the journals of gateways that no longer run. If a living gateway has entries of such a journal, it gives them
 * to the other gateways. Entries that no living gateway has are lost. Then the readers get an entry that reports the
 * loss. A gateway that ends normally waits until the other gateways have fetched its journal.
 */
export class GoneJournalRecovery {
  readonly #parts: GoneParts;
  #settling: Promise<void> = Promise.resolve();
  #settledAt = Number.NEGATIVE_INFINITY;
  #isRead = false;

  constructor(parts: GoneParts) {
    const { hints } = parts;
    this.#parts = parts;
    hints.subscribe(askedSubject, (data) => ({ journals: this.#heldBehind(asked.parse(data).after) }));
    hints.subscribe(leavingSubject, (data) => this.#left(leaving.parse(data)));
  }

  /** Notes that this gateway's journal has a reader. The reader's position may name this journal. */
  noteRead(): void {
    this.#isRead = true;
  }

  /**
   * Fetches the journals of dead gateways from the other gateways. If a reader's position names a journal that this
   * gateway does not know, that journal is fetched too. Resolves when this gateway knows which entries still exist.
   */
  settle(position?: JournalPosition): Promise<void> {
    // An error is ignored. It means that the database cannot be reached, and without the database no gateway counts as
    // dead.
    this.#settling = this.#settling.then(() => this.#settle(position)).catch(() => {});
    return this.#settling;
  }

  /** Calls {@link settle} at intervals while there is a reader. */
  settleNowAndThen(): void {
    const now = this.#parts.clock.monotonic();
    if (now - this.#settledAt < everyMs) return;
    this.#settledAt = now;
    void this.settle();
  }

  async leave(last: number): Promise<void> {
    const { run, sources, hints } = this.#parts;
    const said = { run, gateway: sources.own.gateway, last };
    if (!this.#isRead) return hints.publish(leavingSubject, { ...said, by: 'nobody' });
    const readers = await this.#tell({ ...said, by: 'readers' });
    if (!readers) await this.#tell({ ...said, by: 'all' });
  }

  async #settle(position?: JournalPosition): Promise<void> {
    const { sources } = this.#parts;
    const wanted = await this.#wantedJournals(position);
    if (wanted.size === 0) return;
    await this.#takeFromOthers(wanted);
    for (const journal of wanted.keys()) {
      const source = sources.get(journal);
      if (!source) sources.noteUnknown(journal);
      else if (!source.lost && sources.isSilent(source)) this.#parts.lost(source);
    }
    sources.forget();
  }

  /**
   * Returns the journals for which this gateway asks the other gateways, each with the number of the last entry that
   * arrived here. All of them are journals of dead gateways. A reader's position may name a journal that this gateway
   * does not know. That journal counts as a dead gateway's journal only if every living gateway has answered. Otherwise
   * it may be the journal of a living gateway.
   */
  async #wantedJournals(position?: JournalPosition): Promise<Map<string, number>> {
    const { gateways, sources } = this.#parts;
    const silent = [...sources.all()].filter(
      (source) => sources.isSilent(source) && !source.lost && source.ended !== source.merged,
    );
    const onlyInPosition = (position?.journals ?? []).filter(
      (journal) => !sources.get(journal) && !sources.isUnknown(journal),
    );
    if (silent.length === 0 && onlyInPosition.length === 0) return new Map();
    const notAnswering = new Set(await gateways.others());
    const answering = sources.answering();
    for (const { peer } of answering) if (peer !== undefined) notAnswering.delete(peer);
    // Gateways of an older release answer without their identifier. Each of these answers may come from one of the
    // gateways in `notAnswering`.
    const allAnswer = notAnswering.size <= answering.filter(({ peer }) => peer === undefined).length;
    const dead = silent.filter(({ peer }) => (peer === undefined ? allAnswer : !notAnswering.has(peer)));
    const wanted = new Map(dead.map(({ journal, taken }) => [journal, taken]));
    if (allAnswer)
      for (const journal of onlyInPosition) wanted.set(journal, position?.reachedIn(journal)?.number ?? 0);
    return wanted;
  }

  async #takeFromOthers(wanted: Map<string, number>): Promise<void> {
    for (let part = 0; part < mostParts; part++) {
      const found = new Map<string, HeldJournal[]>();
      await this.#gather(askedSubject, { after: Object.fromEntries(wanted) }, answerMs, (answer) => {
        const { data } = held.safeParse(answer);
        for (const one of data?.journals ?? [])
          if (wanted.has(one.journal)) found.set(one.journal, [...(found.get(one.journal) ?? []), one]);
      });
      let more = false;
      for (const [journal, parts] of found) {
        const source = this.#takeParts(journal, wanted.get(journal) ?? 0, parts);
        wanted.set(journal, source.taken);
        more ||= parts.some((one) => one.more && one.taken > source.taken);
      }
      if (!more) return;
    }
  }

  #takeParts(journal: string, after: number, parts: HeldJournal[]): JournalSource {
    const { sources, take } = this.#parts;
    const source = sources.add(journal, parts[0]?.gateway ?? '', after);
    // A gateway may have sent only the first entries of its part of the journal. Entries after the last one that it
    // sent are left out here, even if another gateway sent them. Otherwise the entries that are still missing would
    // count as received.
    const until = Math.min(
      ...parts.map(({ items, more }) => (more ? (items.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY)),
    );
    const items = parts.flatMap((one) => one.items).filter(({ seq }) => seq <= until);
    for (const sent of items.sort((one, other) => one.seq - other.seq)) take(source, sent);
    for (const { taken, ended } of parts) {
      source.latest = Math.max(source.latest, taken);
      source.ended ??= ended;
    }
    return source;
  }

  #heldBehind(after: Record<string, number>): HeldJournal[] {
    let left = maxPageChars;
    const journals: HeldJournal[] = [];
    for (const [journal, number] of Object.entries(after)) {
      const source = this.#parts.sources.get(journal);
      if (!source) continue;
      const { gateway, ended, taken } = source;
      const entries = this.#parts.entriesOf(journal, number);
      const items = entries.filter(({ data }) => {
        left -= data.length;
        return left >= 0;
      });
      journals.push({ journal, gateway, ended, taken, items, more: items.length < entries.length });
    }
    return journals;
  }

  async #left({ run, gateway, last, by }: z.infer<typeof leaving>): Promise<{ fetched: boolean }> {
    const { sources, fetch, left } = this.#parts;
    const fetches = by === 'all' || (by === 'readers' && this.#isRead);
    if (fetches) {
      await fetch();
      sources.add(journalNameOf(run), gateway).ended = last;
    }
    left(run);
    return { fetched: fetches };
  }

  /**
   * Tells the other gateways that this gateway is ending. Returns whether any of them has fetched this gateway's
   * entries.
   */
  async #tell(said: z.infer<typeof leaving>): Promise<boolean> {
    let isFetched = false;
    await this.#gather(leavingSubject, said, fetchMs, (answer) => {
      isFetched ||= fetched.safeParse(answer).data?.fetched ?? false;
    });
    return isFetched;
  }

  /**
   * Asks the other gateways, and passes each answer to `each`. Resolves at the time limit, or as soon as every living
   * gateway has answered.
   */
  async #gather(
    subject: string,
    data: unknown,
    timeoutMs: number,
    each: (answer: unknown) => void,
  ): Promise<void> {
    const { hints, gateways } = this.#parts;
    let missing = await gateways.others().then(
      (others) => others.length,
      () => Number.POSITIVE_INFINITY,
    );
    if (missing === 0) return;
    await new Promise<void>((resolve) => {
      const answered = (answer: unknown) => {
        each(answer);
        if (--missing === 0) resolve();
      };
      void hints.gather(subject, data, { timeoutMs }, answered).then(resolve);
    });
  }
}
