import type { Note } from '../../shared/journal.ts';
import { Lanes } from '../../shared/lanes.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EventStore } from '../events/service.ts';
import { unlessFull } from '../http/unless-full.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { Change } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { creditEvent } from './credit-event.ts';
import { creditById } from './rows.ts';

/** What was decided about a credit. */
export interface CreditStep<Result> {
  readonly changes: readonly Change[];
  /** Where the credit comes to a state that is reported: as it is then. */
  readonly reported?: CreditRow;
  readonly result: Result;
}

type Decide<Result> = (credit: CreditRow | undefined) => CreditStep<Result>;

/** How often something is decided again where the row was not what the decision saw: others may be as quick. */
const mostDecisions = 30;

interface CreditLanesParts {
  runtime: Runtime;
  store: Store;
  events: EventStore;
}

/** Each credit changes in a lane of its own, decided on what is on disk. */
export class CreditLanes {
  readonly #parts: CreditLanesParts;
  readonly #lanes: Lanes;

  constructor(parts: CreditLanesParts) {
    this.#parts = parts;
    this.#lanes = new Lanes(parts.runtime.inFlight);
  }

  /** @throws what `decide` throws, what refused the commit, or ApiError unavailable where too many wait */
  turn<Result>(creditId: string, decide: Decide<Result>): Promise<Result> {
    const id = creditId.toLowerCase();
    return unlessFull(this.#lanes.turn(id, () => this.#decide(id, decide, mostDecisions)));
  }

  /** Stores a new credit; it needs no lane, as nothing else knows it yet. @throws what refused it */
  async begin(credit: CreditRow): Promise<void> {
    const step = {
      changes: [{ insert: 'credits', row: credit } as const],
      reported: credit,
      result: undefined,
    };
    const result = await this.#commit(credit, step);
    if (result.is === 'refused') throw result.error;
  }

  async #decide<Result>(id: string, decide: Decide<Result>, decisions: number): Promise<Result> {
    const credit = await this.#parts.store.read((tx) => creditById(tx, id));
    const step = decide(credit);
    if (step.changes.length === 0) return step.result;
    const committed = await this.#commit(credit, step);
    if (committed.is === 'applied') return step.result;
    if (committed.because === 'storage' || decisions <= 1) throw committed.error;
    return this.#decide(id, decide, decisions - 1);
  }

  #commit(credit: CreditRow | undefined, { changes, reported }: CreditStep<unknown>) {
    const notes = reported ? [noteOf(reported)] : [];
    const of = credit && ({ table: 'credits', id: credit.id, version: credit.version } as const);
    return this.#parts.events.commit(changes, { of, notes, event: reported && creditEvent(reported) });
  }
}

function noteOf({ id, state, amount, currency, why }: CreditRow): Note {
  return { kind: 'credit.changed', data: { state, amount, currency, why }, about: { payment: id } };
}
