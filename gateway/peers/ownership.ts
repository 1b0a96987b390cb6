import { sql } from 'kysely';
import type { Change, Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { AskTogether } from './ask-together.ts';
import { FewAtOnce } from './few-at-once.ts';
import type { Gateways } from './gateways.ts';

/** Of the five connections; the others are for heartbeats, requests and sweeps. */
const mostAtOnce = 3;

/**
 * Which terminals are this gateway's. A row for each has an epoch that counts up with every owner, and every batch of a
 * terminal's lane holds it: whoever was overtaken, whatever he believes, changes nothing more.
 */
export class Ownership {
  readonly #store: Store;
  readonly #gateways: Gateways;
  readonly #epochs = new Map<string, number>();
  readonly #turns = new FewAtOnce(mostAtOnce);
  /** Terminals that dial at the same time are taken together. */
  readonly #takes: AskTogether<number | undefined>;

  constructor(store: Store, gateways: Gateways) {
    this.#store = store;
    this.#gateways = gateways;
    this.#takes = new AskTogether(async (ids) => {
      const taken = await this.few((db) => takeFree(db, ids, gateways.id));
      const epochs = new Map(taken.map(({ terminal_id, epoch }) => [terminal_id, epoch]));
      return (id) => epochs.get(id);
    });
  }

  /** Runs what is asked about single terminals: thousands that dial at once must not hold up what all else asks the database. */
  few<Result>(work: (db: Tx) => Promise<Result>): Promise<Result> {
    return this.#turns.run(() => this.#store.beside(work));
  }

  /** As far as is known here: that it still is so, its batches find out. */
  owns(terminalId: string): boolean {
    return this.#epochs.has(terminalId);
  }

  /** All that are owned, as far as is known here. */
  get owned(): string[] {
    return [...this.#epochs.keys()];
  }

  /** Refuses a batch where the terminal is not this gateway's, or not any more. */
  hold(terminalId: string): Change {
    const epoch = this.#epochs.get(terminalId) ?? 0;
    return { hold: 'terminal_owners', where: { terminal_id: terminalId, epoch } };
  }

  /** Makes a terminal that dialled this gateway its own. Gives whether nobody else had it since it last was. */
  async take(terminalId: string): Promise<boolean> {
    const known = this.#epochs.get(terminalId);
    const gateway_id = this.#gateways.id;
    const epoch = (await this.#takes.about(terminalId)) ?? (await this.#takeAlone(terminalId));
    if (gateway_id !== this.#gateways.id) return this.take(terminalId); // given up meanwhile
    this.#epochs.set(terminalId, epoch);
    return known === epoch - 1;
  }

  async #takeAlone(terminal_id: string): Promise<number> {
    const { epoch } = await this.few((db) =>
      upsert(db, { terminal_id, gateway_id: this.#gateways.id, connected: 1 })
        .returning('epoch')
        .executeTakeFirstOrThrow(),
    );
    return epoch;
  }

  /** Takes over a terminal whose owner, of that epoch, is dead; gives whether nobody else was faster. */
  async takeOver(terminalId: string, former: number | null): Promise<boolean> {
    const gateway_id = this.#gateways.id;
    const row = await this.few((db) =>
      upsert(db, { terminal_id: terminalId, gateway_id, connected: 0 }, former ?? 0)
        .returning('epoch')
        .executeTakeFirst(),
    );
    if (!row || gateway_id !== this.#gateways.id) return false;
    this.#epochs.set(terminalId, row.epoch);
    return true;
  }

  /** It has no link here any more, as others may read. */
  async unlinked(terminalId: string): Promise<void> {
    const epoch = this.#epochs.get(terminalId);
    if (epoch === undefined) return;
    await this.few((db) =>
      db
        .updateTable('terminal_owners')
        .set({ connected: 0 })
        .where('terminal_id', '=', terminalId)
        .where('epoch', '=', epoch)
        .execute(),
    );
  }

  /** How the terminal is this gateway's no more: its link is another's; undefined where it still is. */
  async lost(terminalId: string): Promise<{ linked: boolean } | undefined> {
    const row = await this.few((db) =>
      db
        .selectFrom('terminal_owners')
        .select(['epoch', 'connected', 'gateway_id'])
        .where('terminal_id', '=', terminalId)
        .executeTakeFirst(),
    );
    if (row && row.epoch === this.#epochs.get(terminalId)) return undefined;
    return { linked: row?.connected === 1 && row.gateway_id !== this.#gateways.id };
  }

  /** Of these terminals, those that are another gateway's now. */
  async lostOf(terminalIds: readonly string[]): Promise<string[]> {
    if (terminalIds.length === 0) return [];
    const rows = await this.#store.read((db) =>
      db
        .selectFrom('terminal_owners')
        .select(['terminal_id', 'epoch'])
        .where('terminal_id', '=', sql<string>`any(${terminalIds})`)
        .where('gateway_id', '<>', this.#gateways.id)
        .execute(),
    );
    return rows.map(({ terminal_id }) => terminal_id).filter((id) => this.owns(id));
  }

  forget(terminalId: string): void {
    this.#epochs.delete(terminalId);
  }
}

/** Those that nobody holds at this moment: who waited for one while he has others could wait for ever. */
function takeFree(db: Tx, ids: readonly string[], gateway_id: string) {
  const free = db
    .selectFrom('terminal_owners')
    .select('terminal_id')
    .where('terminal_id', '=', sql<string>`any(${ids})`)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('terminal_owners')
    .set(({ eb }) => ({ gateway_id, connected: 1, epoch: eb('epoch', '+', 1) }))
    .where('terminal_id', 'in', free)
    .returning(['terminal_id', 'epoch'])
    .execute();
}

/** A new owner is of the next epoch; with `former`, only where that is still the present one. */
function upsert(
  db: Tx,
  row: { terminal_id: string; gateway_id: string; connected: number },
  former?: number,
) {
  const { gateway_id, connected } = row;
  return db
    .insertInto('terminal_owners')
    .values({ ...row, epoch: 1 })
    .onConflict((conflict) => {
      const next = conflict
        .column('terminal_id')
        .doUpdateSet({ gateway_id, connected, epoch: sql<number>`terminal_owners.epoch + 1` });
      return former === undefined ? next : next.where('terminal_owners.epoch', '=', former);
    });
}
