import { z } from 'zod';
import type { Clock } from '../../../shared/clock.ts';
import type { JournalPosition } from '../../../shared/journal-position.ts';
import { maxPageChars } from '../collector.ts';
import { askLivingGateways, type LivingGateways } from './ask-living-gateways.ts';
import type { JournalSource, JournalSources } from './journal-sources.ts';
import { type SentEntry, sentEntrySchema } from './merged-entry.ts';

/** The subject on which a gateway asks for entries of gateways that no longer run. */
const askedSubject = 'journal.gone';

const askedSchema = z.object({ after: z.record(z.string(), z.number()) });
const heldJournalSchema = z.object({
  journal: z.string(),
  gateway: z.string(),
  /** The number of the journal's last entry; absent if the gateway that made the journal may still be alive. */
  ended: z.number().optional(),
  taken: z.number(),
  items: z.array(sentEntrySchema),
  /** Whether the gateway has more entries than the answer contains. */
  more: z.boolean(),
});
type HeldJournal = z.infer<typeof heldJournalSchema>;
const heldSchema = z.object({ journals: z.array(heldJournalSchema) });

/** The time limit in ms for entries from other gateways. */
const answerMs = 1_000;
/**
 * The time in ms between two checks. Each check finds out whether a silent gateway is dead. The gateway checks only
 * while it has a reader.
 */
const everyMs = 1_000;
/** The maximum number of requests that follow each other. Each request fetches one part of each wanted journal. */
const mostParts = 200;

interface GoneParts extends LivingGateways {
  sources: JournalSources;
  clock: Clock;
  /** Of a journal's entries after a number, returns the ones that this gateway has. */
  entriesOf(journal: string, after: number): SentEntry[];
  take(source: JournalSource, sent: SentEntry): void;
  /**
   * Called when a gateway no longer runs, and this gateway has received all entries of its journal that other gateways
   * still have.
   */
  lost(source: JournalSource): void;
}

/**
 * Saves the journals of gateways that no longer run. If a living gateway has entries of such a journal, it gives them
 * to the other gateways. Entries that no living gateway has are lost. Then the readers get an entry that reports the
 * loss.
 */
export class GoneJournalRecovery {
  readonly #parts: GoneParts;
  #recovering: Promise<void> = Promise.resolve();
  #recoveredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: GoneParts) {
    this.#parts = parts;
    parts.hints.subscribe(askedSubject, (data) => ({
      journals: this.#pageOfHeld(askedSchema.parse(data).after),
    }));
  }

  /**
   * Fetches the journals of dead gateways from the other gateways. If a reader's position names a journal that this
   * gateway does not know, that journal is fetched too. Resolves when this gateway knows which entries still exist.
   */
  recover(position?: JournalPosition): Promise<void> {
    // An error is ignored. It means that the database cannot be reached, and without the database no gateway counts as
    // dead.
    this.#recovering = this.#recovering.then(() => this.#recover(position)).catch(() => {});
    return this.#recovering;
  }

  /** Calls {@link recover} if the last call was long enough ago. Call this again and again while there is a reader. */
  recoverIfDue(): void {
    const now = this.#parts.clock.monotonic();
    if (now - this.#recoveredAt < everyMs) return;
    this.#recoveredAt = now;
    void this.recover();
  }

  async #recover(position?: JournalPosition): Promise<void> {
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
    const silent = this.#silentSources();
    const unknown = this.#unknownIn(position);
    if (silent.length === 0 && unknown.length === 0) return new Map();
    const notAnswering = new Set(await gateways.others());
    const answering = sources.answering();
    for (const { peer } of answering) if (peer !== undefined) notAnswering.delete(peer);
    // Gateways of an older release answer without their identifier. Each of these answers may come from one of the
    // gateways in `notAnswering`.
    const allAnswer = notAnswering.size <= answering.filter(({ peer }) => peer === undefined).length;
    const isDead = ({ peer }: JournalSource) => (peer === undefined ? allAnswer : !notAnswering.has(peer));
    const wanted = new Map(silent.filter(isDead).map(({ journal, taken }) => [journal, taken]));
    if (allAnswer)
      for (const journal of unknown) wanted.set(journal, position?.reachedIn(journal)?.number ?? 0);
    return wanted;
  }

  /**
   * Returns each journal of a silent gateway, unless this gateway has the whole journal or has reported the rest as
   * lost.
   */
  #silentSources(): JournalSource[] {
    const { sources } = this.#parts;
    return [...sources.all()].filter(
      (source) => sources.isSilent(source) && !source.lost && source.ended !== source.merged,
    );
  }

  /** Returns the journals in a position that this gateway does not know, and that another gateway may still have. */
  #unknownIn(position: JournalPosition | undefined): string[] {
    const { sources } = this.#parts;
    return (position?.journals ?? []).filter(
      (journal) => !sources.get(journal) && !sources.isUnknown(journal),
    );
  }

  async #takeFromOthers(wanted: Map<string, number>): Promise<void> {
    for (let part = 0; part < mostParts; part++) {
      const found = new Map<string, HeldJournal[]>();
      await askLivingGateways(
        this.#parts,
        askedSubject,
        { after: Object.fromEntries(wanted) },
        answerMs,
        (answer) => {
          const { data } = heldSchema.safeParse(answer);
          for (const one of data?.journals ?? [])
            if (wanted.has(one.journal)) found.set(one.journal, [...(found.get(one.journal) ?? []), one]);
        },
      );
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

  /** Returns the entries after the given numbers, as many as one answer may contain. */
  #pageOfHeld(after: Record<string, number>): HeldJournal[] {
    let room = maxPageChars;
    const journals: HeldJournal[] = [];
    for (const [journal, number] of Object.entries(after)) {
      const source = this.#parts.sources.get(journal);
      if (!source) continue;
      const { gateway, ended, taken } = source;
      const entries = this.#parts.entriesOf(journal, number);
      const items: SentEntry[] = [];
      for (const entry of entries) {
        room -= entry.data.length;
        if (room < 0) break;
        items.push(entry);
      }
      journals.push({ journal, gateway, ended, taken, items, more: items.length < entries.length });
    }
    return journals;
  }
}
