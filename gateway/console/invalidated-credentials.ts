import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import type { GatewayStore } from '../store/store.ts';

/**
 * Stores, for all gateways, the codes that were used and the sessions that a sign-out has ended. Each code or session
 * is stored until its expiry time.
 */
export class InvalidatedCredentialStore {
  readonly #store: GatewayStore;
  readonly #copies: MemoryCopyUpdater;
  readonly #ids: Set<string>;

  private constructor(store: GatewayStore, copies: MemoryCopyUpdater, ids: Iterable<string>) {
    this.#store = store;
    this.#copies = copies;
    this.#ids = new Set(ids);
    copies.keep('console_ended', {
      known: () => this.#ids,
      install: (id, row) => void (row ? this.#ids.add(id) : this.#ids.delete(id)),
    });
  }

  static async open(
    store: GatewayStore,
    now: number,
    copies: MemoryCopyUpdater,
  ): Promise<InvalidatedCredentialStore> {
    if (store.isNew) return new InvalidatedCredentialStore(store, copies, []);
    const rows = await store.write(async (db) => {
      await db.deleteFrom('console_ended').where('until', '<', now).execute();
      return db.selectFrom('console_ended').select('id').execute();
    });
    return new InvalidatedCredentialStore(
      store,
      copies,
      rows.map(({ id }) => id),
    );
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /**
   * Makes a code or session invalid. Returns false if the code or session was already invalid, here or at another
   * gateway.
   */
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
    this.#copies.changed('console_ended', id);
    return row !== undefined;
  }
}
