import { type OnConflictDatabase, type OnConflictUpdateBuilder, sql } from 'kysely';
import { AskTogether } from '../../shared/ask-together.ts';
import { anyOf } from '../../shared/database/postgres-expressions.ts';
import { FewAtOnce } from '../../shared/few-at-once.ts';
import type { NumberedDial } from '../../shared/transport/numbered-dial.ts';
import type { TerminalOwnerRow } from '../store/rows/cluster.ts';
import type { Change, Schema, Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Gateways } from './gateways.ts';

/** Of the five connections; the others are for heartbeats, requests and sweeps. */
const mostAtOnce = 3;

/** A terminal that dialled, and which of its dials that was, where it says so. */
interface Taken {
  readonly terminalId: string;
  readonly dial: NumberedDial | undefined;
}

/** How a terminal is another gateway's: with its link, of that dial where it is known, or without one. */
export interface LostTerminal {
  readonly linked: boolean;
  readonly by?: NumberedDial;
}

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
  readonly #takes: AskTogether<number | undefined, Taken>;

  constructor(store: Store, gateways: Gateways) {
    this.#store = store;
    this.#gateways = gateways;
    this.#takes = new AskTogether(async (dialled) => {
      const taken = await this.few((db) => takeFree(db, dialled, gateways.id));
      const epochs = new Map(taken.map(({ terminal_id, epoch }) => [terminal_id, epoch]));
      return ({ terminalId }) => epochs.get(terminalId);
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

  /**
   * Makes a terminal that dialled this gateway its own. `kept`: nobody else had it since it last was. `stale`: it is not, since
   * the link that dialled is connected to another gateway, which it dialled later (B189). Not for one terminal twice at a time: the
   * answers of two connections to the database come in any order, and the epoch of the latest counts.
   */
  async take(terminalId: string, dial?: NumberedDial): Promise<'kept' | 'new' | 'stale'> {
    const known = this.#epochs.get(terminalId);
    const gateway_id = this.#gateways.id;
    const taken: Taken = { terminalId, dial };
    const epoch = (await this.#takes.about(taken)) ?? (await this.#takeAlone(taken));
    if (gateway_id !== this.#gateways.id) return this.take(terminalId, dial); // given up meanwhile
    if (epoch === undefined) return 'stale';
    this.#epochs.set(terminalId, epoch);
    return known === epoch - 1 ? 'kept' : 'new';
  }

  async #takeAlone({ terminalId, dial }: Taken): Promise<number | undefined> {
    const gateway_id = this.#gateways.id;
    const row = await this.few((db) =>
      upsert(db, { terminal_id: terminalId, gateway_id, connected: 1, ...columnsOf(dial) }, (next) =>
        next.where(isNoOlder('excluded', gateway_id)),
      )
        .returning('epoch')
        .executeTakeFirst(),
    );
    return row?.epoch;
  }

  /** Takes over a terminal whose owner, of that epoch, is dead; gives whether nobody else was faster. */
  async takeOver(terminalId: string, former: number | null): Promise<boolean> {
    const gateway_id = this.#gateways.id;
    const row = await this.few((db) =>
      upsert(db, { terminal_id: terminalId, gateway_id, connected: 0, ...columnsOf(undefined) }, (next) =>
        next.where('terminal_owners.epoch', '=', former ?? 0),
      )
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
  async lost(terminalId: string): Promise<LostTerminal | undefined> {
    const row = await this.few((db) =>
      db
        .selectFrom('terminal_owners')
        .select(['epoch', 'connected', 'gateway_id', 'instance', 'dial', 'dialled_epoch'])
        .where('terminal_id', '=', terminalId)
        .executeTakeFirst(),
    );
    if (row && row.epoch === this.#epochs.get(terminalId)) return undefined;
    return { linked: row?.connected === 1 && row.gateway_id !== this.#gateways.id, by: row && dialOf(row) };
  }

  /** Of these terminals, those that are another gateway's now. */
  async lostOf(terminalIds: readonly string[]): Promise<string[]> {
    if (terminalIds.length === 0) return [];
    const rows = await this.#store.read((db) =>
      db
        .selectFrom('terminal_owners')
        .select(['terminal_id', 'epoch'])
        .where('terminal_id', '=', anyOf(terminalIds))
        .where('gateway_id', '<>', this.#gateways.id)
        .execute(),
    );
    return rows.map(({ terminal_id }) => terminal_id).filter((id) => this.owns(id));
  }

  forget(terminalId: string): void {
    this.#epochs.delete(terminalId);
  }
}

type DialColumns = Pick<TerminalOwnerRow, 'instance' | 'dial'>;

function columnsOf(dial: NumberedDial | undefined): DialColumns {
  return { instance: dial?.instance ?? null, dial: dial?.count ?? null };
}

/** What a row says of its link's dial; an owner of an older release has left there what its predecessor wrote. */
function dialOf({
  epoch,
  instance,
  dial,
  dialled_epoch,
}: Omit<TerminalOwnerRow, 'terminal_id'>): NumberedDial | undefined {
  if (instance === null || dial === null || dialled_epoch !== epoch) return undefined;
  return { instance, count: dial };
}

/** Those that nobody holds at this moment: who waited for one while he has others could wait for ever. */
async function takeFree(
  db: Tx,
  dialled: readonly Taken[],
  gatewayId: string,
): Promise<{ terminal_id: string; epoch: number }[]> {
  const given = dialled.map(({ terminalId, dial }) => ({ terminal_id: terminalId, ...columnsOf(dial) }));
  const { rows } = await sql<{ terminal_id: string; epoch: number }>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as each(terminal_id text, instance text, dial bigint)
    ),
    free as (
      select given.* from terminal_owners join given using (terminal_id) for update of terminal_owners skip locked
    )
    update terminal_owners set
      gateway_id = ${gatewayId}, connected = 1, epoch = terminal_owners.epoch + 1,
      instance = free.instance, dial = free.dial, dialled_epoch = terminal_owners.epoch + 1
    from free where terminal_owners.terminal_id = free.terminal_id and ${isNoOlder('free', gatewayId)}
    returning terminal_owners.terminal_id, terminal_owners.epoch`.execute(db);
  return rows;
}

/** Whether a dial is none that the same link has followed by a later one, with which it is connected to another gateway now. */
function isNoOlder(dial: 'free' | 'excluded', gatewayId: string) {
  return sql<boolean>`(
    terminal_owners.connected = 1
    and terminal_owners.dialled_epoch = terminal_owners.epoch
    and terminal_owners.instance = ${sql.ref(`${dial}.instance`)}
    and terminal_owners.dial > ${sql.ref(`${dial}.dial`)}
    and exists (
      select from gateways
      where gateways.id = terminal_owners.gateway_id and gateways.ended = 0 and gateways.id <> ${gatewayId}
    )
  ) is not true`;
}

type Next = OnConflictUpdateBuilder<OnConflictDatabase<Schema, 'terminal_owners'>, 'terminal_owners'>;

/** A new owner is of the next epoch, where `may` allows it against the present one. */
function upsert(
  db: Tx,
  row: Pick<TerminalOwnerRow, 'terminal_id' | 'gateway_id' | 'connected'> & DialColumns,
  may: (next: Next) => Next,
) {
  const { gateway_id, connected, instance, dial } = row;
  const next = sql<number>`terminal_owners.epoch + 1`;
  const owner = { gateway_id, connected, instance, dial, epoch: next, dialled_epoch: next };
  return db
    .insertInto('terminal_owners')
    .values({ ...row, epoch: 1, dialled_epoch: 1 })
    .onConflict((conflict) => may(conflict.column('terminal_id').doUpdateSet(owner)));
}
