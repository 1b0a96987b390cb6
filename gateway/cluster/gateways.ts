import { sql } from 'kysely';
import { PeriodicRunner } from '../../shared/rounds.ts';
import type { StoreParts } from '../store/store.ts';
import type { ClusterTimings } from './cluster-timings.ts';
import { type ClockReading, DatabaseClock } from './database-clock.ts';

interface GatewaysParts extends StoreParts {
  name: string;
  paces: ClusterTimings;
}

/** The current time by the database's clock, in milliseconds since 1970. */
export const databaseTimeSql = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Keeps this gateway's row in the database, and knows the other gateways. Each second the gateway stores in its row
 * that it is alive. If it does not do so for a while, the other gateways declare it dead. They may be wrong, because
 * the gateway may only have been paused or cut off. Such a gateway registers again with a new identifier, and owns no
 * terminal.
 */
export class GatewayMembership {
  readonly clock: DatabaseClock;
  readonly #parts: GatewaysParts;
  readonly #beats: PeriodicRunner;
  #id: string;
  /**
   * The end of the last long interruption, on the monotonic clock. Since that time this gateway has been able to read
   * the database.
   */
  #steadySince: number;
  #beatAt: number;
  #givenUp: () => void = () => {};

  private constructor(parts: GatewaysParts, id: string, first: ClockReading) {
    this.#parts = parts;
    this.#id = id;
    this.#steadySince = first.answeredAt;
    this.#beatAt = first.answeredAt;
    const { realClock } = parts.runtime;
    this.clock = new DatabaseClock(realClock, first);
    this.#beats = new PeriodicRunner(realClock, parts.paces.beatMs, () => this.#beat());
  }

  static async register(parts: GatewaysParts): Promise<GatewayMembership> {
    const id = parts.runtime.identifiers.next();
    return new GatewayMembership(parts, id, await registered(parts, id));
  }

  /** The identifier of this gateway. It changes if the other gateways declare this gateway dead. */
  get id(): string {
    return this.#id;
  }

  /**
   * Sets a function that runs when the other gateways have declared this one dead. The other gateways may have taken
   * this gateway's terminals. When the function runs, this gateway already has a new identifier.
   */
  onGivenUp(run: () => void): void {
    this.#givenUp = run;
  }

  /** Returns the identifiers of the other gateways that are alive. */
  async others(): Promise<string[]> {
    const rows = await this.#parts.store.beside((db) =>
      db
        .selectFrom('gateways')
        .select('id')
        .where('ended', '=', 0)
        .where('seen_at', '>=', sql<number>`${databaseTimeSql} - ${this.#parts.paces.deadAfterMs}`)
        .where('id', '<>', this.#id)
        .execute(),
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns whether any living gateway is of an older release. Such a gateway would treat a reversal as a payment
   * (B496).
   */
  async someOlder(): Promise<boolean> {
    const older = await this.#parts.store.beside((db) =>
      db
        .selectFrom('gateways')
        .select('id')
        .where('ended', '=', 0)
        .where('seen_at', '>=', sql<number>`${databaseTimeSql} - ${this.#parts.paces.deadAfterMs}`)
        .where('gives_back', 'is', null)
        .limit(1)
        .execute(),
    );
    return older.length > 0;
  }

  /**
   * Declares each gateway dead that has not stored a heartbeat for too long. Returns the names of the gateways that it
   * declared dead. If such a gateway is alive after all, it notices this at its next heartbeat. If this gateway was
   * itself cut off from the database, it declares no gateway dead, because after an outage all other gateways seem
   * dead.
   */
  async giveUpDead(): Promise<string[]> {
    const { paces, store, runtime } = this.#parts;
    if (runtime.realClock.monotonic() - this.#steadySince < paces.deadAfterMs) return [];
    const gone = await store.beside((db) =>
      db
        .updateTable('gateways')
        .set({ ended: 1 })
        .where('ended', '=', 0)
        .where('seen_at', '<', sql<number>`${databaseTimeSql} - ${paces.deadAfterMs}`)
        .where('id', '<>', this.#id)
        // If this gateway has not stored a heartbeat of its own recently, it declares no gateway dead. In this case,
        // this gateway itself may have been cut off from the database.
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('gateways as self')
              .select('self.id')
              .where('self.id', '=', this.#id)
              .where('self.seen_at', '>=', sql<number>`${databaseTimeSql} - ${paces.deadAfterMs / 2}`),
          ),
        )
        .returning('name')
        .execute(),
    );
    return gone.map(({ name }) => name);
  }

  /** Deletes this gateway's row. The other gateways then immediately take over this gateway's terminals and work. */
  async close(): Promise<void> {
    await this.#beats.stop();
    const ended = this.#parts.store.beside((db) =>
      db.deleteFrom('gateways').where('id', '=', this.#id).execute(),
    );
    await ended.catch(() => {}); // if this fails, the other gateways notice later that the heartbeats are missing
  }

  async #beat(): Promise<void> {
    const { store, runtime, paces } = this.#parts;
    const askedAt = runtime.realClock.monotonic();
    const row = await store.beside((db) =>
      db
        .updateTable('gateways')
        .set({ seen_at: databaseTimeSql })
        .where('id', '=', this.#id)
        .where('ended', '=', 0)
        .returning('seen_at')
        .executeTakeFirst(),
    );
    const answeredAt = runtime.realClock.monotonic();
    // If an interruption takes more than half of `deadAfterMs`, it is treated as a long one. After an outage another
    // gateway may reach the database later than this one, so this gateway must wait before it declares gateways dead.
    if (answeredAt - this.#beatAt > paces.deadAfterMs / 2) this.#steadySince = answeredAt;
    this.#beatAt = answeredAt;
    if (row) this.clock.read({ askedAt, answeredAt, shown: row.seen_at });
    else await this.#registerAnew();
  }

  async #registerAnew(): Promise<void> {
    const { runtime } = this.#parts;
    const id = runtime.identifiers.next();
    this.clock.read(await registered(this.#parts, id));
    this.#id = id;
    const message = 'the other gateways treated this gateway as dead, so its terminals have to connect again';
    runtime.journal.add('warning', { message });
    this.#givenUp();
  }
}

/** Registers a gateway. Also deletes the rows of gateways that ended long ago. */
async function registered({ runtime, store, name }: GatewaysParts, id: string): Promise<ClockReading> {
  const { realClock } = runtime;
  await store.beside((db) =>
    db
      .deleteFrom('gateways')
      .where('seen_at', '<', sql<number>`${databaseTimeSql} - ${forgottenAfterMs}`)
      .execute(),
  );
  const askedAt = realClock.monotonic();
  const { seen_at: shown } = await store.beside((db) =>
    db
      .insertInto('gateways')
      .values({ id, name, seen_at: databaseTimeSql, ended: 0, gives_back: 1 })
      .returning('seen_at')
      .executeTakeFirstOrThrow(),
  );
  return { askedAt, answeredAt: realClock.monotonic(), shown };
}

const forgottenAfterMs = 24 * 3_600_000;
