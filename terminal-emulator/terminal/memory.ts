import type { Kysely } from 'kysely';
import type { DatabaseChange } from '../../shared/database/change.ts';
import { Database } from '../../shared/database/database.ts';
import { exitWithReason } from '../../shared/database/end-process.ts';
import { KnownKeyFilter } from '../../shared/key-index.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { maxMessageRefusals } from '../../shared/transport/link.ts';
import type { PaymentReferences } from '../payment/payment-order.ts';
import type { PaymentResult } from '../payment/payment-response.ts';
import { changesToNoteDelivered, changesToReplaceRow, changesToStoreReversal } from './memory-changes.ts';
import {
  deleteOutcomesUntil,
  type OutcomeKey,
  type PaymentUnderWay,
  type PendingReversal,
  type RememberedOutcome,
  readOutcomeKeys,
  readOutcomeTimesUntil,
  readPaymentUnderWay,
  readUnansweredReversals,
  readUndeliveredOutcomes,
  readUsedServiceIds,
  recordOutcomeRefusal,
  recordReversalRefusal,
  selectOutcomeByServiceId,
  selectPaymentUnderWay,
} from './memory-queries.ts';
import type { MemorySchema } from './memory-schema.ts';
import fresh from './migrations/fresh.json' with { type: 'json' };
import { memoryMigrations } from './migrations/index.ts';
import { TerminalOwnershipLock, withFileLocked } from './terminal-ownership-lock.ts';

export type { PendingReversal as Reversal } from './memory-queries.ts';

/** The state of a ServiceID according to the terminal's memory. */
type ServiceIdState =
  | { state: 'new' }
  | { state: 'underWay' }
  | ({ state: 'concluded' } & Omit<RememberedOutcome, 'serviceId'>)
  /** The payment has an outcome that the gateway cannot read, so the outcome is not sent again (B67). */
  | { state: 'putAside' };

/** Everything that a terminal still has to finish. */
interface Unfinished {
  readonly underWay: PaymentUnderWay | undefined;
  readonly undelivered: readonly RememberedOutcome[];
  readonly reversals: readonly PendingReversal[];
}

/** Old outcomes are deleted each time that this many new outcomes have been stored. */
const deleteOldEvery = 1000;

type MemoryRuntime = Pick<Runtime, 'clock' | 'realClock' | 'timeouts' | 'inFlight'>;

/**
 * The flash memory of a process's terminals. For each terminal it contains the payment under way, the answers of the
 * last 48 h (and which of them the gateway has), and what must be reversed. Promises resolve when writes are on disk.
 */
export class TerminalMemory {
  #database: Database<MemorySchema>;
  /** Keeps other processes from running the same terminals; undefined if the memory is not in a file. */
  #holder: TerminalOwnershipLock | undefined;
  #runtime: MemoryRuntime;
  /** The terminals that may have something to finish. When any other terminal starts, the file is not read. */
  #unfinished = new Set<string>();
  /** The ServiceIDs that the file may contain. Once this set is complete, no other ServiceID is searched for. */
  #serviceIds: KnownKeyFilter;
  #closed = false;
  /**
   * The outcomes that the gateway has, but that the file still lists as undelivered. The next write corrects this.
   */
  #delivered: { poiId: string; serviceId: string }[] = [];
  #concluded = 0;

  private constructor(
    database: Database<MemorySchema>,
    holder: TerminalOwnershipLock | undefined,
    runtime: MemoryRuntime,
  ) {
    this.#database = database;
    this.#holder = holder;
    this.#runtime = runtime;
    this.#serviceIds = new KnownKeyFilter(runtime.timeouts.serviceIdMs);
  }

  /**
   * Opens `file` for these terminals. While it is open, no other process can run them. If `file` is `:memory:`, the
   * contents are lost when the process ends.
   *
   * @throws TerminalsTakenError if another process runs one of these terminals
   */
  static async open(
    file: string,
    runtime: MemoryRuntime,
    poiIds: readonly string[] = [],
  ): Promise<TerminalMemory> {
    if (file === ':memory:') return TerminalMemory.#opened(file, undefined, runtime);
    return withFileLocked(file, runtime.realClock, async () => {
      const holder = TerminalOwnershipLock.take(file);
      try {
        return await TerminalMemory.#opened(file, holder, runtime, poiIds);
      } catch (error) {
        holder.release();
        throw error;
      }
    });
  }

  static async #opened(
    file: string,
    holder: TerminalOwnershipLock | undefined,
    runtime: MemoryRuntime,
    poiIds: readonly string[] = [],
  ): Promise<TerminalMemory> {
    const { inFlight } = runtime;
    let memory: TerminalMemory | undefined;
    const giveUp = (why: string) => {
      if (memory === undefined || !memory.#closed) exitWithReason(why);
    };
    const database = await Database.open<MemorySchema>({
      file,
      migrations: memoryMigrations,
      fresh,
      inFlight,
      giveUp,
      survives: 'kill',
    });
    try {
      memory = new TerminalMemory(database, holder, runtime);
      if (holder) await memory.#takeTerminals(holder, poiIds);
      await memory.#deleteOld();
      await database.read((db) => (memory as TerminalMemory).#readUnfinished(db));
      await memory.#readServiceIds();
      return memory;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /**
   * Takes one more terminal. Reads what other processes have written about the terminal since the file was opened.
   * @throws TerminalsTakenError if another process runs the terminal
   */
  async hold(poiId: string): Promise<void> {
    const holder = this.#holder;
    if (!holder) return;
    await withFileLocked(holder.file, this.#runtime.realClock, async () => {
      await this.#database.read((db) => holder.check(db, [poiId]));
      await this.#database.write((db) => holder.note(db, [poiId]));
      this.#unfinished.add(poiId);
      for (const serviceId of await this.#database.read((db) => readUsedServiceIds(db, poiId)))
        this.#noteServiceId(poiId, serviceId);
    });
  }

  /** Closes the file. If the last write fails (disk full, folder gone), a later start sends some outcomes again. */
  async close(): Promise<void> {
    this.#closed = true;
    // This write is not awaited, because the promise of a write on an abandoned database never settles. The database
    // finishes the write before it closes.
    if (this.#delivered.length > 0) this.#commit([]).catch(() => {});
    await this.#database.close().finally(() => this.#holder?.release());
  }

  /** Notes that a new payment has arrived. */
  begin(poiId: string, sale: PaymentReferences): Promise<void> {
    const { serviceId } = sale;
    this.#unfinished.add(poiId);
    this.#noteServiceId(poiId, serviceId);
    return this.#commit([
      { delete: 'under_way', where: { poi_id: poiId }, rows: 'any' },
      {
        insert: 'under_way',
        row: { poi_id: poiId, service_id: serviceId, sale: JSON.stringify(sale), phase: 'begun' },
      },
    ]);
  }

  /**
   * Notes that the host is about to get a request. Stores `result`, the card's data: if the power is cut, the terminal
   * needs them for its answer.
   */
  authorizing(poiId: string, attemptId: string, result: PaymentResult | undefined): Promise<void> {
    const payment_result = result ? JSON.stringify(result) : null;
    const set = { phase: 'authorizing', payment_result, attempt_id: attemptId } as const;
    return this.#commit([{ update: 'under_way', where: { poi_id: poiId }, set }]);
  }

  /** Stores the outcome until the gateway has it. The same commit stores what must be reversed. */
  async conclude(
    poiId: string,
    { serviceId, transactionId, givesBack }: PaymentReferences,
    response: string,
    reversal: Omit<PendingReversal, 'transactionId'> | undefined,
  ): Promise<void> {
    const at = this.#runtime.clock.now();
    const key = { poi_id: poiId, service_id: serviceId };
    this.#unfinished.add(poiId);
    this.#noteServiceId(poiId, serviceId);
    await this.#commit([
      ...changesToReplaceRow('outcome', key, {
        ...key,
        at,
        transaction_id: transactionId,
        gives_back: givesBack ?? null,
        response,
      }),
      ...changesToReplaceRow('undelivered', key, key),
      { delete: 'under_way', where: key, rows: 'any' },
      ...(reversal ? changesToStoreReversal(poiId, transactionId, reversal) : []),
    ]);
    // If this deletion fails, a later deletion removes the same outcomes.
    if (++this.#concluded % deleteOldEvery === 0) this.#deleteOld().catch(() => {});
  }

  /**
   * The next write notes that the gateway has an outcome. If there is no next write, the outcome is sent again later.
   */
  delivered(poiId: string, serviceId: string): void {
    this.#delivered.push({ poiId, serviceId });
  }

  /**
   * Counts another refusal of an outcome. Resolves to the count. When the maximum number of refusals is reached, the
   * outcome is put aside.
   */
  refused(poiId: string, serviceId: string): Promise<number> {
    return this.#readThenWrite((db) => recordOutcomeRefusal(db, poiId, serviceId));
  }

  /**
   * Counts another refusal of a reversal. When the maximum number of refusals is reached, the reversal is put aside if
   * the gateway has the payment's outcome. In this case the gateway has stored a reversal itself (B67).
   */
  reversalRefused(poiId: string, transactionId: string): Promise<{ refusals: number; putAside: boolean }> {
    return this.#readThenWrite((db) => recordReversalRefusal(db, poiId, transactionId));
  }

  /** Deletes a reversal, because the host has carried it out. */
  reversed(poiId: string, transactionId: string): Promise<void> {
    const where = { poi_id: poiId, transaction_id: transactionId };
    return this.#commit([{ delete: 'reversal', where, rows: 'any' }]);
  }

  async find(poiId: string, serviceId: string): Promise<ServiceIdState> {
    if (this.#serviceIds.isNew(keyOf(poiId, serviceId))) return { state: 'new' };
    return this.#database.read((db) => this.#find(db, poiId, serviceId));
  }

  /** Returns what the terminal was doing when its power was cut. First, all writes that have begun are finished. */
  async recall(poiId: string): Promise<Unfinished> {
    if (!this.#unfinished.has(poiId)) return { underWay: undefined, undelivered: [], reversals: [] };
    return this.#readThenWrite(async (db) => ({
      underWay: await readPaymentUnderWay(db, poiId),
      undelivered: await readUndeliveredOutcomes(db, poiId),
      reversals: await readUnansweredReversals(db, poiId),
    }));
  }

  /**
   * Takes terminals for a process that starts. Before the transaction begins, a separate read checks that no other
   * process runs these terminals. The transaction itself must not begin with a read: if another process wrote between
   * its read and its write, SQLite would refuse it.
   */
  async #takeTerminals(holder: TerminalOwnershipLock, poiIds: readonly string[]): Promise<void> {
    await this.#database.read((db) => holder.check(db, poiIds));
    await this.#database.write(async (db) => {
      await holder.forgetFormer(db);
      await holder.note(db, poiIds);
    });
  }

  /**
   * Writes the changes, and also notes which outcomes the gateway has. Throws the database's error if the database
   * refuses the changes.
   */
  async #commit(changes: readonly DatabaseChange<MemorySchema>[]): Promise<void> {
    const delivered = this.#delivered.splice(0);
    const result = await this.#database.commit([...changesToNoteDelivered(delivered), ...changes]);
    if (result.is === 'applied') return;
    this.#delivered.unshift(...delivered);
    throw result.error;
  }

  /** Does work that first reads and then writes. The work begins when all earlier writes have ended. */
  #readThenWrite<Result>(work: (db: Kysely<MemorySchema>) => Promise<Result>): Promise<Result> {
    if (this.#delivered.length > 0) this.#commit([]).catch(() => {}); // if this write fails, the next one repeats it
    return this.#database.write(work);
  }

  /** Reads which terminals have to finish something that an earlier process began. */
  async #readUnfinished(db: Kysely<MemorySchema>): Promise<void> {
    for (const table of ['under_way', 'undelivered', 'reversal'] as const)
      for (const { poi_id } of await db.selectFrom(table).select('poi_id').distinct().execute())
        this.#unfinished.add(poi_id);
    const underWay = await db.selectFrom('under_way').select(['poi_id', 'service_id']).execute();
    for (const { poi_id, service_id } of underWay) this.#noteServiceId(poi_id, service_id);
  }

  /** Reads the ServiceIDs of all outcomes. */
  #readServiceIds(): Promise<void> {
    return this.#serviceIds.fill<OutcomeKey>(
      (after, limit) => this.#database.read((db) => readOutcomeKeys(db, after, limit)),
      ({ poi_id, service_id }) => this.#noteServiceId(poi_id, service_id),
    );
  }

  /** Remembers a ServiceID for 48 h from now. A change of the wall clock does not affect this time. */
  #noteServiceId(poiId: string, serviceId: string): void {
    this.#serviceIds.add(keyOf(poiId, serviceId), this.#runtime.clock.monotonic());
  }

  async #find(db: Kysely<MemorySchema>, poiId: string, serviceId: string): Promise<ServiceIdState> {
    const [stored] = await selectOutcomeByServiceId(db, { poiId, serviceId });
    const outcome = stored && !this.#isOld(stored.at) ? stored : undefined;
    if (outcome && outcome.refusals >= maxMessageRefusals) return { state: 'putAside' };
    if (outcome) {
      const { response, gives_back } = outcome;
      return { state: 'concluded', response, givesBack: gives_back ?? undefined };
    }
    const [underWay] = await selectPaymentUnderWay(db, { poiId });
    return { state: underWay?.service_id === serviceId ? 'underWay' : 'new' };
  }

  /** Whether 48 h have passed, so that a ServiceID can be used again (B64). The wall clock does not matter (B122). */
  #isOld(at: number): boolean {
    return this.#runtime.clock.elapsedSince(at) >= this.#runtime.timeouts.serviceIdMs;
  }

  async #deleteOld(): Promise<void> {
    const latest = this.#runtime.clock.now() - this.#runtime.timeouts.serviceIdMs;
    const moments = await this.#database.read((db) => readOutcomeTimesUntil(db, latest));
    const oldest = moments.find((at) => this.#isOld(at));
    if (oldest !== undefined) await this.#database.write((db) => deleteOutcomesUntil(db, oldest));
  }
}

/** Joins poi_id and ServiceID with a line break, because no poi_id contains a line break. */
function keyOf(poiId: string, serviceId: string): string {
  return `${poiId}\n${serviceId}`;
}
