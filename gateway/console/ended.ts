import type { ChangeFeed } from '../peers/change-feed.ts';
import type { Store } from '../store/store.ts';

/** Which codes were used and which sessions were signed out of, each until it would have ended by itself; of all gateways. */
export class Ended {
  readonly #store: Store;
  readonly #feed: ChangeFeed | undefined;
  readonly #ids: Set<string>;

  private constructor(store: Store, feed: ChangeFeed | undefined, ids: Iterable<string>) {
    this.#store = store;
    this.#feed = feed;
    this.#ids = new Set(ids);
    feed?.on('console_ended', {
      known: () => this.#ids,
      install: (id, row) => void (row ? this.#ids.add(id) : this.#ids.delete(id)),
    });
  }

  static async open(store: Store, now: number, feed?: ChangeFeed): Promise<Ended> {
    if (store.isNew) return new Ended(store, feed, []);
    const rows = await store.write(async (db) => {
      await db.deleteFrom('console_ended').where('until', '<', now).execute();
      return db.selectFrom('console_ended').select('id').execute();
    });
    return new Ended(
      store,
      feed,
      rows.map(({ id }) => id),
    );
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Gives whether it had not ended before, here or at another gateway. */
  async end(id: string, until: number): Promise<boolean> {
    const row = await this.#store.write((db) =>
      db
        .insertInto('console_ended')
        .values({ id, until })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst(),
    );
    this.#ids.add(id);
    this.#feed?.changed('console_ended', id);
    return row !== undefined;
  }
}
