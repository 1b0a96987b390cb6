import { type OnConflictDatabase, type OnConflictUpdateBuilder, sql } from 'kysely';
import { KeyQueryBatcher } from '../../shared/ask-together.ts';
import { anyOf } from '../../shared/database/postgres-expressions.ts';
import { ConcurrencyLimiter } from '../../shared/few-at-once.ts';
import type { NumberedDial } from '../../shared/transport/numbered-dial.ts';
import type { TerminalOwnerRow } from '../store/rows/cluster.ts';
import type { GatewayTables, RowChange, Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';
import type { GatewayMembership } from './gateways.ts';

/**
 * The maximum number of database connections that may serve dialling terminals at the same time. There are five
 * connections in all. The other connections serve heartbeats, requests and the search for work.
 */
const mostAtOnce = 3;

/** A terminal that dialled this gateway, with the number of the dial if the terminal sent a number. */
interface Taken {
  readonly terminalId: string;
  readonly dial: NumberedDial | undefined;
}

/**
 * The state of a terminal that another gateway has taken. `linked` says whether the terminal is connected to that
 * gateway. `by` is the dial that connected the terminal, if this dial is known.
 */
export interface TerminalTakenElsewhere {
  readonly linked: boolean;
  readonly by?: NumberedDial;
}

/**
 * Knows which terminals this gateway owns. The row of each terminal has a number, the epoch. The epoch goes up each
 * time a gateway takes the terminal. Every batch of writes about a terminal checks the epoch. So a gateway that has
 * lost the terminal can write nothing more, even before it learns that it lost the terminal.
 */
export class TerminalOwnership {
  readonly #store: GatewayStore;
  readonly #gateways: GatewayMembership;
  readonly #epochs = new Map<string, number>();
  readonly #turns = new ConcurrencyLimiter(mostAtOnce);
  /**
   * Makes this gateway the owner of terminals that dial it. If several terminals dial at the same time, a single
   * statement does this for all of them.
   */
  readonly #takes: KeyQueryBatcher<number | undefined, Taken>;

  constructor(store: GatewayStore, gateways: GatewayMembership) {
    this.#store = store;
    this.#gateways = gateways;
    this.#takes = new KeyQueryBatcher(async (dialled) => {
      const taken = await this.runFewAtOnce((db) => takeFree(db, dialled, gateways.id));
      const epochs = new Map(taken.map(({ terminal_id, epoch }) => [terminal_id, epoch]));
      return ({ terminalId }) => epochs.get(terminalId);
    });
  }

  /**
   * Runs statements about single terminals. Only a few of these statements run at a time. Thousands of terminals may
   * dial at once, and other statements must still get a database connection meanwhile.
   */
  runFewAtOnce<Result>(work: (db: Tx) => Promise<Result>): Promise<Result> {
    return this.#turns.run(() => this.#store.beside(work));
  }

  /**
   * Returns whether this gateway believes that it owns the terminal. If that belief is wrong, the database refuses this
   * gateway's batches of writes about the terminal.
   */
  owns(terminalId: string): boolean {
    return this.#epochs.has(terminalId);
  }

  /** All terminals that this gateway believes it owns. */
  get owned(): string[] {
    return [...this.#epochs.keys()];
  }

  /**
   * Gives a change to add to a batch of writes. With this change in the batch, the database refuses the batch if this
   * gateway does not own the terminal.
   */
  hold(terminalId: string): RowChange {
    const epoch = this.#epochs.get(terminalId) ?? 0;
    return { hold: 'terminal_owners', where: { terminal_id: terminalId, epoch } };
  }

  /**
   * Makes this gateway the owner of a terminal that dialled it. Returns `kept` if this gateway was also the previous
   * owner. Returns `stale` if the terminal has dialled another gateway in the meantime and is connected there (B189).
   * Then this gateway does not become the owner. Do not run this function twice at the same time for one terminal. The
   * two runs may get their answers in any order, and the epoch in the later answer would be kept, even if it is the
   * older epoch.
   */
  async take(terminalId: string, dial?: NumberedDial): Promise<'kept' | 'new' | 'stale'> {
    const known = this.#epochs.get(terminalId);
    const gateway_id = this.#gateways.id;
    const taken: Taken = { terminalId, dial };
    const epoch = (await this.#takes.about(taken)) ?? (await this.#takeAlone(taken));
    // the other gateways have declared this one dead, so this gateway now has a new identifier
    if (gateway_id !== this.#gateways.id) return this.take(terminalId, dial);
    if (epoch === undefined) return 'stale';
    this.#epochs.set(terminalId, epoch);
    return known === epoch - 1 ? 'kept' : 'new';
  }

  async #takeAlone({ terminalId, dial }: Taken): Promise<number | undefined> {
    const gateway_id = this.#gateways.id;
    const row = await this.runFewAtOnce((db) =>
      upsert(db, { terminal_id: terminalId, gateway_id, connected: 1, ...columnsOf(dial) }, (next) =>
        next.where(isNoOlder('excluded', gateway_id)),
      )
        .returning('epoch')
        .executeTakeFirst(),
    );
    return row?.epoch;
  }

  /**
   * Takes over a terminal whose owner is dead. `former` is the terminal's epoch under that owner. Returns false if
   * another gateway was faster.
   */
  async takeOver(terminalId: string, former: number | null): Promise<boolean> {
    const gateway_id = this.#gateways.id;
    const row = await this.runFewAtOnce((db) =>
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

  /** Stores that the terminal is no longer connected to this gateway, so that the other gateways can read this. */
  async unlinked(terminalId: string): Promise<void> {
    const epoch = this.#epochs.get(terminalId);
    if (epoch === undefined) return;
    await this.runFewAtOnce((db) =>
      db
        .updateTable('terminal_owners')
        .set({ connected: 0 })
        .where('terminal_id', '=', terminalId)
        .where('epoch', '=', epoch)
        .execute(),
    );
  }

  /**
   * Reads the state of a terminal that another gateway owns. Returns undefined if this gateway still owns the terminal.
   */
  async lost(terminalId: string): Promise<TerminalTakenElsewhere | undefined> {
    const row = await this.runFewAtOnce((db) =>
      db
        .selectFrom('terminal_owners')
        .select(['epoch', 'connected', 'gateway_id', 'instance', 'dial', 'dialled_epoch'])
        .where('terminal_id', '=', terminalId)
        .executeTakeFirst(),
    );
    if (row && row.epoch === this.#epochs.get(terminalId)) return undefined;
    return { linked: row?.connected === 1 && row.gateway_id !== this.#gateways.id, by: row && dialOf(row) };
  }

  /** Selects from these terminals the ones that another gateway owns now. */
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

/**
 * Reads from a row the number of the dial that connected the terminal to its owner. Returns undefined if the owner is
 * of an older release. Such an owner does not write the number, so the row still has the number that the previous owner
 * wrote.
 */
function dialOf({
  epoch,
  instance,
  dial,
  dialled_epoch,
}: Omit<TerminalOwnerRow, 'terminal_id'>): NumberedDial | undefined {
  if (instance === null || dial === null || dialled_epoch !== epoch) return undefined;
  return { instance, count: dial };
}

/**
 * Takes only the terminals whose rows no other transaction has locked. If this transaction held some rows and waited
 * for another row, there could be a deadlock.
 */
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

/**
 * Makes the condition that a dial is still the latest dial of its terminal. A dial is no longer the latest one if the
 * same terminal process has dialled another gateway in the meantime and is connected there.
 */
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

type Next = OnConflictUpdateBuilder<OnConflictDatabase<GatewayTables, 'terminal_owners'>, 'terminal_owners'>;

/**
 * Makes a gateway the owner of a terminal and increases the epoch by one. If the terminal already has an owner, the
 * owner changes only under the condition that `may` adds.
 */
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
