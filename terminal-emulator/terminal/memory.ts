import type { Kysely } from 'kysely';
import { Database } from '../../shared/database/database.ts';
import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { SaleIdentity } from '../payment/payment-order.ts';
import type { PaymentResult } from '../payment/payment-response.ts';
import { migrations } from './migrations/index.ts';

interface Schema {
  under_way: {
    poi_id: string;
    service_id: string;
    sale: string;
    phase: 'begun' | 'authorizing';
    payment_result: string | null;
  };
  outcome: { poi_id: string; service_id: string; at: number; transaction_id: string; response: string };
  undelivered: { poi_id: string; service_id: string };
  reversal: { poi_id: string; transaction_id: string; reason: ReversalReason };
}

export type ReversalReason = Extract<AcquirerRequest, { Type: 'Reverse' }>['Reason'];

/** A payment that had not concluded. `authorizing`: the host may have been asked. */
export interface UnderWay {
  readonly sale: SaleIdentity;
  readonly phase: 'begun' | 'authorizing';
  readonly paymentResult: PaymentResult | undefined;
}

export interface Outcome {
  readonly serviceId: string;
  /** A PaymentResponse as JSON text. */
  readonly response: string;
}

export interface Reversal {
  readonly transactionId: string;
  readonly reason: ReversalReason;
}

/** What a terminal finds in its memory about a ServiceID. */
export type Known = { state: 'new' } | { state: 'underWay' } | { state: 'concluded'; response: string };

/** Old outcomes are swept out once per so many new ones. */
const sweepEvery = 1000;

/**
 * The flash of the terminals of one process (design §6): what each is doing, what it answered in the last
 * 48 h and whether the gateway has it, what has to be reversed. A promise resolves when its write is on disk.
 */
export class Memory {
  #database: Database<Schema>;
  #runtime: Pick<Runtime, 'clock' | 'timeouts'>;
  /** Terminals with something to finish; the others are not looked up at boot. */
  #unfinished: Set<string>;
  #writes = 0;

  private constructor(
    database: Database<Schema>,
    runtime: Pick<Runtime, 'clock' | 'timeouts'>,
    unfinished: Set<string>,
  ) {
    this.#database = database;
    this.#runtime = runtime;
    this.#unfinished = unfinished;
  }

  static async open(
    file: string,
    runtime: Pick<Runtime, 'clock' | 'timeouts' | 'inFlight'>,
  ): Promise<Memory> {
    const database = await Database.open<Schema>({ file, migrations, inFlight: runtime.inFlight });
    const unfinished = await database.read(async (db) => {
      const rows = await Promise.all([
        db.selectFrom('under_way').select('poi_id').execute(),
        db.selectFrom('undelivered').select('poi_id').distinct().execute(),
        db.selectFrom('reversal').select('poi_id').distinct().execute(),
      ]);
      return new Set(rows.flat().map(({ poi_id }) => poi_id));
    });
    const memory = new Memory(database, runtime, unfinished);
    await database.write((db) => memory.#sweep(db));
    return memory;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Notes a payment that arrived, unless its ServiceID is known; says which it was. */
  begin(poiId: string, sale: SaleIdentity): Promise<Known> {
    this.#unfinished.add(poiId);
    return this.#database.write(async (db) => {
      const known = await this.#find(db, poiId, sale.serviceId);
      if (known.state !== 'new') return known;
      const row = { service_id: sale.serviceId, sale: JSON.stringify(sale), phase: 'begun' as const };
      await db
        .replaceInto('under_way')
        .values({ poi_id: poiId, ...row, payment_result: null })
        .execute();
      return known;
    });
  }

  /** The host is about to be asked. `result` is what a failure after a power cut will tell of the card. */
  authorizing(poiId: string, result: PaymentResult | undefined): Promise<void> {
    return this.#database.write(async (db) => {
      const payment_result = result ? JSON.stringify(result) : null;
      await db
        .updateTable('under_way')
        .set({ phase: 'authorizing', payment_result })
        .where('poi_id', '=', poiId)
        .execute();
    });
  }

  /** Keeps the outcome until the gateway has it, and with it, in the same commit, what must be reversed. */
  conclude(
    poiId: string,
    sale: SaleIdentity,
    response: string,
    reversal: ReversalReason | undefined,
  ): Promise<void> {
    this.#unfinished.add(poiId);
    return this.#database.write(async (db) => {
      const key = { poi_id: poiId, service_id: sale.serviceId };
      await db
        .replaceInto('outcome')
        .values({
          ...key,
          at: this.#runtime.clock.now(),
          transaction_id: sale.transactionId,
          response,
        })
        .execute();
      await db.replaceInto('undelivered').values(key).execute();
      await db
        .deleteFrom('under_way')
        .where('poi_id', '=', poiId)
        .where('service_id', '=', sale.serviceId)
        .execute();
      if (reversal) {
        const row = { poi_id: poiId, transaction_id: sale.transactionId, reason: reversal };
        await db.replaceInto('reversal').values(row).execute();
      }
      if (++this.#writes % sweepEvery === 0) await this.#sweep(db);
    });
  }

  /** The gateway has the outcome. */
  delivered(poiId: string, serviceId: string): Promise<void> {
    return this.#database.write(async (db) => {
      await db
        .deleteFrom('undelivered')
        .where('poi_id', '=', poiId)
        .where('service_id', '=', serviceId)
        .execute();
    });
  }

  /** The host has reversed. */
  reversed(poiId: string, transactionId: string): Promise<void> {
    return this.#database.write(async (db) => {
      await db
        .deleteFrom('reversal')
        .where('poi_id', '=', poiId)
        .where('transaction_id', '=', transactionId)
        .execute();
    });
  }

  find(poiId: string, serviceId: string): Promise<Known> {
    return this.#database.read((db) => this.#find(db, poiId, serviceId));
  }

  /** What the terminal was doing when its power went; queued behind the writes asked for before. */
  recall(
    poiId: string,
  ): Promise<{ underWay: UnderWay | undefined; undelivered: Outcome[]; reversals: Reversal[] }> {
    if (!this.#unfinished.has(poiId))
      return Promise.resolve({ underWay: undefined, undelivered: [], reversals: [] });
    return this.#database.write(async (db) => {
      const row = await db.selectFrom('under_way').selectAll().where('poi_id', '=', poiId).executeTakeFirst();
      const outcomes = await db
        .selectFrom('undelivered')
        .innerJoin('outcome', (join) =>
          join
            .onRef('outcome.poi_id', '=', 'undelivered.poi_id')
            .onRef('outcome.service_id', '=', 'undelivered.service_id'),
        )
        .select(['outcome.service_id', 'outcome.response'])
        .where('undelivered.poi_id', '=', poiId)
        .orderBy('outcome.at')
        .execute();
      const reversals = await db
        .selectFrom('reversal')
        .select(['transaction_id as transactionId', 'reason'])
        .where('poi_id', '=', poiId)
        .execute();
      return {
        underWay: row && {
          sale: JSON.parse(row.sale) as SaleIdentity,
          phase: row.phase,
          paymentResult: row.payment_result ? (JSON.parse(row.payment_result) as PaymentResult) : undefined,
        },
        undelivered: outcomes.map(({ service_id, response }) => ({
          serviceId: service_id,
          response,
        })),
        reversals,
      };
    });
  }

  async #find(db: Kysely<Schema>, poiId: string, serviceId: string): Promise<Known> {
    const row = await db
      .selectFrom('outcome')
      .select('response')
      .where('poi_id', '=', poiId)
      .where('service_id', '=', serviceId)
      .where('at', '>', this.#oldest())
      .executeTakeFirst();
    if (row) return { state: 'concluded', response: row.response };
    const underWay = await db
      .selectFrom('under_way')
      .select('service_id')
      .where('poi_id', '=', poiId)
      .executeTakeFirst();
    return { state: underWay?.service_id === serviceId ? 'underWay' : 'new' };
  }

  /** ServiceIDs are unique for 48 h only (decision 17). */
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
