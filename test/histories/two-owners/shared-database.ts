import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { GatewayTables, RowChange } from '../../../gateway/store/schema.ts';
import type { GatewayStore } from '../../../gateway/store/store.ts';
import type { CommitResult } from '../../../shared/database/change.ts';
import { checkDisk } from '../invariants.ts';
import type { Dice } from './dice.ts';
import type { TwoOwnersBugParts } from './plant.ts';
import { type DiskClient, type RefusalCause, SharedDisk } from './shared-disk.ts';
import { answerStatement } from './statements.ts';

interface DatabaseParts {
  dice: Dice;
  plant: TwoOwnersBugParts;
  say(said: string): void;
  broken(error: unknown): void;
}

/** The disk is full, or the connection broke before anything was stored. */
class NoRoom extends Error {
  readonly code = 'SQLITE_FULL';
}

/**
 * The database of two gateways. Chance decides whether a statement is executed and answered at once, is executed late,
 * is answered late, is refused, or is never answered. A statement without an answer may have been executed.
 */
export class SharedDatabase {
  readonly disk = new SharedDisk();
  /** Whether every statement is executed and answered at once from now on. */
  calm = false;
  readonly #parts: DatabaseParts;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Executes or answers one of the waiting statements. */
  getOn(): void {
    const at = this.#parts.dice.random.int(Math.max(1, this.#waiting.length));
    const [next] = this.#waiting.splice(at, 1);
    next?.();
  }

  /** Adds work other than statements to the queue from which chance takes the next item. */
  waitWith(work: () => void): void {
    this.#waiting.push(work);
  }

  /** Makes the store through which a gateway uses the database. */
  store(client: DiskClient): GatewayStore {
    const connection: DatabaseConnection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => {
        const rows = await this.#asked(client, () => answerStatement(this.disk, sql, parameters));
        return { rows: rows.map((row) => ({ ...row })) as Row[] };
      },
      streamQuery: () => {
        throw new Error('the histories read no streams');
      },
    };
    const db = kyselyOf(connection);
    const read = <Result>(work: (db: Kysely<GatewayTables>) => Promise<Result>) => work(db);
    const commit = (batch: readonly RowChange[]) => this.#commit(client, batch);
    return { read, beside: read, commit } as unknown as GatewayStore;
  }

  #commit(client: DiskClient, given: readonly RowChange[]): Promise<CommitResult> {
    if (client.dead) return new Promise(() => {});
    const { dice, plant, say } = this.#parts;
    const batch = plant.batch?.(given) ?? given;
    const chance = this.calm ? 99 : dice.random.int(100);
    if (chance < 6) {
      say(`${client.name} is refused`);
      return Promise.resolve(plant.refused?.(batch) ?? refused(new NoRoom('no room')));
    }
    if (chance < 8)
      return this.#never(client, chance === 6 ? () => void this.#apply(client, batch) : () => {});
    if (chance < 20) return this.#later(client, () => this.#apply(client, batch));
    const result = this.#apply(client, batch);
    return chance < 28 ? this.#later(client, () => result) : Promise.resolve(result);
  }

  #apply(client: DiskClient, batch: readonly RowChange[]): CommitResult {
    const { plant, say, broken } = this.#parts;
    const refusal = this.disk.refusal(batch);
    const because = refusal === plant.without ? undefined : refusal;
    say(`${client.name} ${because ?? 'stores'} ${batch.map(named).join(', ')}`);
    if (because) return plant.refused?.(batch) ?? refused(errorOf(because), because);
    try {
      this.disk.apply(batch);
      this.disk.note(client, batch);
      checkDisk(this.disk);
    } catch (error) {
      broken(error);
    }
    return { is: 'applied' };
  }

  /** Executes a statement that is not part of a batch. */
  async #asked<Result>(client: DiskClient, work: () => Result): Promise<Result> {
    if (client.dead) return new Promise(() => {});
    const chance = this.calm ? 99 : this.#parts.dice.random.int(100);
    if (chance < 3) throw new NoRoom('no connection');
    if (chance < 15) return this.#later(client, work);
    const result = work();
    return chance < 20 ? this.#later(client, () => result) : result;
  }

  #later<Result>(client: DiskClient, work: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        const result = work();
        if (client.dead) return;
        resolve(result);
      });
    });
  }

  #never<Result>(client: DiskClient, work: () => void): Promise<Result> {
    client.stuck = true;
    this.#parts.say(`${client.name} is never answered`);
    this.#waiting.push(work);
    return new Promise(() => {});
  }
}

function kyselyOf(connection: DatabaseConnection): Kysely<GatewayTables> {
  const driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: async () => {},
    commitTransaction: async () => {},
    rollbackTransaction: async () => {},
    destroy: async () => {},
  };
  return new Kysely<GatewayTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

function refused(error: Error, because: 'storage' | RefusalCause = 'storage'): CommitResult {
  return { is: 'refused', because, error };
}

function errorOf(because: RefusalCause): Error {
  const error = new BatchRefusedError(`refused: ${because}`);
  return because === 'version' ? error : Object.assign(error, { constraint: 'open_payments_terminal' });
}

/**
 * The database refused a batch, because a row is not as the batch expects, or because the terminal of a new payment
 * already has an open payment.
 */
export class BatchRefusedError extends Error {
  override name = 'Refused';
}

function named(change: RowChange): string {
  if ('insert' in change) return `insert ${change.insert}`;
  if ('update' in change) return `update ${change.update} ${JSON.stringify(change.set)}`;
  if ('add' in change) return `add ${change.by} to ${change.add}`;
  return 'delete' in change ? `delete ${change.delete}` : `hold ${change.hold}`;
}
