import type { Note } from '../../shared/journal.ts';
import { Lanes } from '../../shared/lanes.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { insertEntry, noteOf } from '../acquirer/entries.ts';
import type { EventStore, NewEvent } from '../events/service.ts';
import { unlessFull } from '../http/unless-full.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Change } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type DebitFacts, readAtOnce, readFacts } from './debit-facts.ts';

/** What was decided. Without changes nothing happens but the result. */
export interface DebitStep<Result> {
  /** What is true once the changes are on disk. */
  readonly facts: DebitFacts;
  readonly changes: readonly Change[];
  /** Made for it; they are stored with the changes, and journaled then. */
  readonly entries: readonly LedgerRow[];
  /** What the journal says of it afterwards. */
  readonly note?: Note;
  readonly event?: NewEvent;
  readonly result: Result;
}

/** Debits whose facts are at hand, a kilobyte each: what is refunded was mostly charged not long ago. */
const mostRecent = 10_000;
/** How often something is decided again where a row was not what the decision saw: other gateways may be as quick. */
const mostDecisions = 30;

interface DebitLanesParts {
  runtime: Runtime;
  store: Store;
  events: EventStore;
}

/**
 * Each debit with its refunds changes in a lane of its own: decided on what is on disk, committed, and only then true,
 * journaled and published. Where the commit is refused nothing has happened.
 */
export class DebitLanes {
  readonly #parts: DebitLanesParts;
  readonly #lanes: Lanes;
  readonly #recent = new RecentlyUsed<DebitFacts>(mostRecent);

  constructor(parts: DebitLanesParts) {
    this.#parts = parts;
    this.#lanes = new Lanes(parts.runtime.inFlight);
  }

  /**
   * Decides about a debit in its turn; on undefined where there is none.
   *
   * @throws what `decide` throws, what refused the commit, or ApiError unavailable where too many wait
   */
  turn<Result>(
    debitId: string,
    decide: (facts: DebitFacts | undefined) => DebitStep<Result> | Promise<DebitStep<Result>>,
  ): Promise<Result> {
    const id = debitId.toLowerCase();
    return unlessFull(this.#lanes.turn(id, () => this.#decide(id, decide, mostDecisions)));
  }

  /** Stores a new debit; it needs no lane, as nothing else knows it yet. @throws what refused it */
  async begin<Result>(step: DebitStep<Result>): Promise<Result> {
    const refused = await this.#commit(step);
    if (refused) throw refused.error;
    return step.result;
  }

  /** What is on disk of a debit. */
  async facts(debitId: string): Promise<DebitFacts | undefined> {
    const id = debitId.toLowerCase();
    const { store } = this.#parts;
    return (
      this.#recent.get(id) ?? store.read((db) => (store.isShared ? readAtOnce(db, id) : readFacts(db, id)))
    );
  }

  async #decide<Result>(
    id: string,
    decide: (facts: DebitFacts | undefined) => DebitStep<Result> | Promise<DebitStep<Result>>,
    decisions: number,
  ): Promise<Result> {
    const step = await decide(await this.facts(id));
    if (step.changes.length === 0) return step.result;
    const refused = await this.#commit(step);
    if (!refused) return step.result;
    this.#recent.delete(id);
    if (refused.because === 'storage' || decisions <= 1) throw refused.error;
    return this.#decide(id, decide, decisions - 1);
  }

  async #commit({ facts, changes, entries, note, event }: DebitStep<unknown>) {
    const notes = entries.map((entry) => noteOf(entry, undefined));
    if (note) notes.push(note);
    const all = [...entries.map(insertEntry), ...changes];
    const { id, version } = facts.debit;
    const applied = () => {
      if (!this.#parts.store.isShared) this.#recent.set(id, facts);
    };
    const of = { table: 'debits', id, version } as const;
    const result = await this.#parts.events.commit(all, { of, notes, event }, applied);
    return result.is === 'refused' ? result : undefined;
  }
}
