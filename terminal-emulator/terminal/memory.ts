import type { Kysely } from 'kysely';
import { Database } from '../../shared/database/database.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { mostRefusals } from '../../shared/transport/link.ts';
import type { SaleIdentity } from '../payment/payment-order.ts';
import type { PaymentResult } from '../payment/payment-response.ts';
import {
  deleteUndelivered,
  deleteUnderWay,
  type ReversalReason,
  replaceOutcome,
  replaceUndelivered,
  replaceUnderWay,
  type Schema,
  selectOutcome,
  selectUnderWay,
  updateToAuthorizing,
} from './memory-schema.ts';
import { migrations } from './migrations/index.ts';

export type { ReversalReason } from './memory-schema.ts';

/** A payment that had not concluded. `authorizing`: the host may have been asked. */
interface UnderWay {
  readonly sale: SaleIdentity;
  readonly phase: 'begun' | 'authorizing';
  readonly attemptId: string | undefined;
  readonly paymentResult: PaymentResult | undefined;
}

interface Outcome {
  readonly serviceId: string;
  /** A PaymentResponse as JSON text. */
  readonly response: string;
}

export interface Reversal {
  readonly transactionId: string;
  /** Unknown of what version 0.1.0 noted down. */
  readonly attemptId: string | undefined;
  readonly reason: ReversalReason;
  /** How often the host could not read it. */
  readonly refusals?: number;
}

/** What a terminal finds in its memory about a ServiceID. */
type Known =
  | { state: 'new' }
  | { state: 'underWay' }
  | { state: 'concluded'; response: string }
  /** Concluded, and the gateway cannot read it: nothing is sent of it any more (B67). */
  | { state: 'putAside' };

/** What a terminal has to finish. */
interface Unfinished {
  readonly underWay: UnderWay | undefined;
  readonly undelivered: readonly Outcome[];
  readonly reversals: readonly Reversal[];
}

/** Old outcomes are swept out once per so many new ones. */
const sweepEvery = 1000;

type Parts = Pick<Runtime, 'clock' | 'timeouts' | 'inFlight'>;

/**
 * The flash of the terminals of one process: what each is doing, what it answered in the last
 * 48 h and whether the gateway has it, what has to be reversed. A promise resolves when its write is on disk.
 */
export class Memory {
  #database: Database<Schema>;
  #runtime: Parts;
  /** Terminals that may have something to finish; the others are not looked up at boot. */
  #unfinished: Set<string>;
  /** Outcomes the gateway has, which the next write notes down. */
  #delivered: { poiId: string; serviceId: string }[] = [];
  #concluded = 0;

  private constructor(database: Database<Schema>, runtime: Parts, unfinished: Set<string>) {
    this.#database = database;
    this.#runtime = runtime;
    this.#unfinished = unfinished;
  }

  /** Opens `file`, or `:memory:` for one that forgets with the process. */
  static async open(file: string, runtime: Parts): Promise<Memory> {
    const { inFlight } = runtime;
    const database = await Database.open<Schema>({ file, migrations, inFlight, survives: 'kill' });
    const unfinished = await database.read(async (db) => {
      const tables = ['under_way', 'undelivered', 'reversal'] as const;
      const rows = await Promise.all(
        tables.map((table) => db.selectFrom(table).select('poi_id').distinct().execute()),
      );
      return new Set(rows.flat().map(({ poi_id }) => poi_id));
    });
    const memory = new Memory(database, runtime, unfinished);
    await memory.#write((db) => memory.#sweep(db));
    return memory;
  }

  async close(): Promise<void> {
    if (this.#delivered.length > 0) await this.#write(async () => {});
    await this.#database.close();
  }

  /** Notes a payment that arrived and is new. */
  begin(poiId: string, sale: SaleIdentity): Promise<void> {
    this.#unfinished.add(poiId);
    return this.#write(async (db) => {
      await replaceUnderWay(db, { poiId, serviceId: sale.serviceId, sale: JSON.stringify(sale) });
    });
  }

  /** The host is about to be asked. `result` is what a failure after a power cut will say of the card. */
  authorizing(poiId: string, attemptId: string, result: PaymentResult | undefined): Promise<void> {
    return this.#write(async (db) => {
      const paymentResult = result ? JSON.stringify(result) : null;
      await updateToAuthorizing(db, { poiId, attemptId, paymentResult });
    });
  }

  /** Keeps the outcome until the gateway has it, and with it, in the same commit, what must be reversed. */
  conclude(
    poiId: string,
    { serviceId, transactionId }: SaleIdentity,
    response: string,
    reversal: Omit<Reversal, 'transactionId'> | undefined,
  ): Promise<void> {
    this.#unfinished.add(poiId);
    return this.#write(async (db) => {
      await replaceOutcome(db, { poiId, serviceId, at: this.#runtime.clock.now(), transactionId, response });
      await replaceUndelivered(db, { poiId, serviceId });
      await deleteUnderWay(db, { poiId, serviceId });
      if (reversal) {
        const { reason, attemptId } = reversal;
        const row = { poi_id: poiId, transaction_id: transactionId, reason, attempt_id: attemptId ?? null };
        await db.replaceInto('reversal').values(row).execute();
      }
      if (++this.#concluded % sweepEvery === 0) await this.#sweep(db);
    });
  }

  /**
   * The gateway has the outcome. Noted down with the next write: where that never comes, the outcome is delivered
   * once more after the next start, which does no harm.
   */
  delivered(poiId: string, serviceId: string): void {
    this.#delivered.push({ poiId, serviceId });
  }

  /** The gateway cannot read the outcome. Gives how often that was; with the last time itis set aside. */
  refused(poiId: string, serviceId: string): Promise<number> {
    return this.#write(async (db) => {
      const row = await db
        .updateTable('outcome')
        .set(({ eb }) => ({ refusals: eb('refusals', '+', 1) }))
        .where('poi_id', '=', poiId)
        .where('service_id', '=', serviceId)
        .returning('refusals')
        .executeTakeFirst();
      const refusals = row?.refusals ?? mostRefusals;
      if (refusals >= mostRefusals) await deleteUndelivered(db, { poiId, serviceId });
      return refusals;
    });
  }

  /**
   * The host cannot read the reversal. True where itis set aside: after the last refusal, and only where the gateway
   * has the payment's outcome, a failure, with which it stored a reversal of its own (B67).
   */
  reversalRefused(poiId: string, transactionId: string): Promise<{ refusals: number; putAside: boolean }> {
    return this.#write(async (db) => {
      const row = await db
        .updateTable('reversal')
        .set(({ eb }) => ({ refusals: eb('refusals', '+', 1) }))
        .where('poi_id', '=', poiId)
        .where('transaction_id', '=', transactionId)
        .returning('refusals')
        .executeTakeFirst();
      const refusals = row?.refusals ?? mostRefusals;
      const putAside = refusals >= mostRefusals && (await gatewayHasOutcome(db, poiId, transactionId));
      if (putAside) await deleteReversal(db, poiId, transactionId);
      return { refusals, putAside };
    });
  }

  /** The host has reversed. */
  reversed(poiId: string, transactionId: string): Promise<void> {
    return this.#write((db) => deleteReversal(db, poiId, transactionId));
  }

  find(poiId: string, serviceId: string): Promise<Known> {
    return this.#database.read((db) => this.#find(db, poiId, serviceId));
  }

  /** What the terminal was doing when its power went; queued behind the writes asked for before. */
  async recall(poiId: string): Promise<Unfinished> {
    if (!this.#unfinished.has(poiId)) return { underWay: undefined, undelivered: [], reversals: [] };
    return this.#write(async (db) => {
      const [row] = await selectUnderWay(db, { poiId });
      return {
        underWay: row && {
          sale: JSON.parse(row.sale) as SaleIdentity,
          phase: row.phase,
          attemptId: row.attempt_id ?? undefined,
          paymentResult: row.payment_result ? (JSON.parse(row.payment_result) as PaymentResult) : undefined,
        },
        undelivered: await this.#undelivered(db, poiId),
        reversals: await this.#reversals(db, poiId),
      };
    });
  }

  #write<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result> {
    return this.#database.write(async (unit) => {
      const delivered = this.#delivered.splice(0);
      unit.onRollback(() => this.#delivered.unshift(...delivered));
      for (const outcome of delivered) await deleteUndelivered(unit, outcome);
      return work(unit);
    });
  }

  #undelivered(db: Kysely<Schema>, poiId: string): Promise<Outcome[]> {
    return db
      .selectFrom('undelivered')
      .innerJoin('outcome', (join) =>
        join
          .onRef('outcome.poi_id', '=', 'undelivered.poi_id')
          .onRef('outcome.service_id', '=', 'undelivered.service_id'),
      )
      .select(['outcome.service_id as serviceId', 'outcome.response'])
      .where('undelivered.poi_id', '=', poiId)
      .orderBy('outcome.at')
      .execute();
  }

  async #reversals(db: Kysely<Schema>, poiId: string): Promise<Reversal[]> {
    const rows = await db.selectFrom('reversal').selectAll().where('poi_id', '=', poiId).execute();
    return rows.map(({ transaction_id, attempt_id, reason, refusals }) => ({
      transactionId: transaction_id,
      attemptId: attempt_id ?? undefined,
      reason,
      refusals,
    }));
  }

  async #find(db: Kysely<Schema>, poiId: string, serviceId: string): Promise<Known> {
    const [outcome] = await selectOutcome(db, { poiId, serviceId, oldest: this.#oldest() });
    if (outcome && outcome.refusals >= mostRefusals) return { state: 'putAside' };
    if (outcome) return { state: 'concluded', response: outcome.response };
    const [underWay] = await selectUnderWay(db, { poiId });
    return { state: underWay?.service_id === serviceId ? 'underWay' : 'new' };
  }

  /** ServiceIDs are unique for 48 h only (B64). */
  #oldest(): number {
    return this.#runtime.clock.now() - this.#runtime.timeouts.serviceIdMs;
  }

  /** Forgets outcomes older than 48 h, but never one the gateway does not have yet. */
  async #sweep(db: Kysely<Schema>): Promise<void> {
    await db
      .deleteFrom('outcome')
      .where('at', '<=', this.#oldest())
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('undelivered')
              .select('undelivered.service_id')
              .whereRef('undelivered.poi_id', '=', 'outcome.poi_id')
              .whereRef('undelivered.service_id', '=', 'outcome.service_id'),
          ),
        ),
      )
      .execute();
  }
}

async function deleteReversal(db: Kysely<Schema>, poiId: string, transactionId: string): Promise<void> {
  await db
    .deleteFrom('reversal')
    .where('poi_id', '=', poiId)
    .where('transaction_id', '=', transactionId)
    .execute();
}

async function gatewayHasOutcome(db: Kysely<Schema>, poiId: string, transactionId: string): Promise<boolean> {
  const outcome = await db
    .selectFrom('outcome')
    .leftJoin('undelivered', (join) =>
      join
        .onRef('undelivered.poi_id', '=', 'outcome.poi_id')
        .onRef('undelivered.service_id', '=', 'outcome.service_id'),
    )
    .select('outcome.service_id')
    .where('outcome.poi_id', '=', poiId)
    .where('outcome.transaction_id', '=', transactionId)
    .where('undelivered.service_id', 'is', null)
    .where('outcome.refusals', '<', mostRefusals)
    .executeTakeFirst();
  return outcome !== undefined;
}
