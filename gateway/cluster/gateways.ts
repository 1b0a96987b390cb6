import { sql } from 'kysely';
import { Rounds } from '../../shared/rounds.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Store } from '../store/store.ts';
import { type ClockReading, DatabaseClock } from './database-clock.ts';
import type { Paces } from './paces.ts';

interface GatewaysParts {
  runtime: Runtime;
  store: Store;
  name: string;
  paces: Paces;
}

/** The time of the database's clock, in milliseconds since 1970. */
export const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Keeps the row by which this gateway shows each second that it is alive. The other gateways of the database give it up
 * if the row does not change for a while. If they were wrong, because the gateway was paused or cut off, it registers
 * again, under a new identifier, and owns nothing.
 */
export class Gateways {
  readonly clock: DatabaseClock;
  readonly #parts: GatewaysParts;
  readonly #beats: Rounds;
  #id: string;
  /** The moment since which this gateway has read the database without a long interruption, on the monotonic clock. */
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
    this.#beats = new Rounds(realClock, parts.paces.beatMs, () => this.#beat());
  }

  static async register(parts: GatewaysParts): Promise<Gateways> {
    const id = parts.runtime.identifiers.next();
    return new Gateways(parts, id, await registered(parts, id));
  }

  /** The gateway's identifier. After it was given up, the gateway gets another one. */
  get id(): string {
    return this.#id;
  }

  /**
   * Calls `run` when the other gateways have given this one up: they may have taken what it owned. By then it has a new
   * identifier.
   */
  onGivenUp(run: () => void): void {
    this.#givenUp = run;
  }

  /** Gives the identifiers of the other gateways that are alive. */
  async others(): Promise<string[]> {
    const rows = await this.#parts.store.beside((db) =>
      db
        .selectFrom('gateways')
        .select('id')
        .where('ended', '=', 0)
        .where('seen_at', '>=', sql<number>`${databaseNow} - ${this.#parts.paces.deadAfterMs}`)
        .where('id', '<>', this.#id)
        .execute(),
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a gateway of an older release is alive, which would conclude a reversal as a payment (B496). */
  async someOlder(): Promise<boolean> {
    const older = await this.#parts.store.beside((db) =>
      db
        .selectFrom('gateways')
        .select('id')
        .where('ended', '=', 0)
        .where('seen_at', '>=', sql<number>`${databaseNow} - ${this.#parts.paces.deadAfterMs}`)
        .where('gives_back', 'is', null)
        .limit(1)
        .execute(),
    );
    return older.length > 0;
  }

  /**
   * Gives up the gateways that have not shown for too long that they are alive, and returns their names. One that is
   * alive after all finds that out. A gateway that was itself cut off from the database gives up no other: after an
   * outage all of them seem dead.
   */
  async giveUpDead(): Promise<string[]> {
    const { paces, store, runtime } = this.#parts;
    if (runtime.realClock.monotonic() - this.#steadySince < paces.deadAfterMs) return [];
    const gone = await store.beside((db) =>
      db
        .updateTable('gateways')
        .set({ ended: 1 })
        .where('ended', '=', 0)
        .where('seen_at', '<', sql<number>`${databaseNow} - ${paces.deadAfterMs}`)
        .where('id', '<>', this.#id)
        // After an outage, this gateway may get here before it has stored that it is alive itself.
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('gateways as self')
              .select('self.id')
              .where('self.id', '=', this.#id)
              .where('self.seen_at', '>=', sql<number>`${databaseNow} - ${paces.deadAfterMs / 2}`),
          ),
        )
        .returning('name')
        .execute(),
    );
    return gone.map(({ name }) => name);
  }

  /** Deletes the row, so that other gateways may take over at once what this one owned. */
  async close(): Promise<void> {
    await this.#beats.stop();
    const ended = this.#parts.store.beside((db) =>
      db.deleteFrom('gateways').where('id', '=', this.#id).execute(),
    );
    await ended.catch(() => {}); // without a database the other gateways find out by themselves
  }

  async #beat(): Promise<void> {
    const { store, runtime, paces } = this.#parts;
    const askedAt = runtime.realClock.monotonic();
    const row = await store.beside((db) =>
      db
        .updateTable('gateways')
        .set({ seen_at: databaseNow })
        .where('id', '=', this.#id)
        .where('ended', '=', 0)
        .returning('seen_at')
        .executeTakeFirst(),
    );
    const answeredAt = runtime.realClock.monotonic();
    // Half of the time, because another gateway may come back from the same outage later than this one.
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
    const message = 'the other gateways took this gateway for dead: its terminals connect again';
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
      .where('seen_at', '<', sql<number>`${databaseNow} - ${forgottenAfterMs}`)
      .execute(),
  );
  const askedAt = realClock.monotonic();
  const { seen_at: shown } = await store.beside((db) =>
    db
      .insertInto('gateways')
      .values({ id, name, seen_at: databaseNow, ended: 0, gives_back: 1 })
      .returning('seen_at')
      .executeTakeFirstOrThrow(),
  );
  return { askedAt, answeredAt: realClock.monotonic(), shown };
}

const forgottenAfterMs = 24 * 3_600_000;
