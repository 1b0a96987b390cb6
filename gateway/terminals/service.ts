import { hashSecret, makeSecret } from '../accounts/secret.ts';
import type { AccountService } from '../accounts/service.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import { ApiError } from '../http/errors.ts';
import type { Environment } from '../store/ownership.ts';
import { readRowById } from '../store/read-rows.ts';
import type { StoreRow, TerminalRow } from '../store/rows/terminals.ts';
import type { StoreParts } from '../store/store.ts';
import { type Terminal, TerminalDirectory } from './directory.ts';
import { findOrCreateTerminals } from './numbering.ts';
import type {
  CreatedTerminal,
  ProvisionedTerminal,
  StoreInput,
  StoreView,
  TerminalChanges,
  TerminalInput,
  TerminalView,
} from './schemas.ts';

interface TerminalParts extends StoreParts {
  accounts: AccountService;
  copies: MemoryCopyUpdater;
}

/** Keeps stores and terminals. The operator sets them up. An account can list its own stores and terminals. */
export class TerminalService {
  readonly #parts: TerminalParts;
  readonly #directory = new TerminalDirectory();
  /** The server of the terminals' connections sets this function. */
  #connected: (terminal: Terminal) => boolean = () => false;
  #onDeleted: (terminal: Terminal) => void = () => {};
  #deleting: (id: string) => Promise<void> = async () => {};

  private constructor(parts: TerminalParts) {
    this.#parts = parts;
    parts.copies.keep('stores', {
      known: () => this.#directory.stores.keys(),
      install: (_, row) => row && this.#directory.putStore(row),
    });
    parts.copies.keep('terminals', {
      known: () => [...this.#directory.all()].map(({ id }) => id),
      install: (id, row) => (row ? this.#directory.put(row) : this.#gone(id)),
    });
  }

  static async open(parts: TerminalParts): Promise<TerminalService> {
    const service = new TerminalService(parts);
    const [stores, terminals] = await parts.store.read(async (db) => [
      await db.selectFrom('stores').selectAll().orderBy('id').execute(),
      await db.selectFrom('terminals').selectAll().orderBy('created_at').orderBy('id').execute(),
    ]);
    for (const row of stores) service.#directory.putStore(row);
    for (const row of terminals) service.#directory.put(row);
    return service;
  }

  /**
   * Connects this service with the server of the terminals' connections. The server says whether a terminal is
   * connected, and learns when a terminal is deleted.
   */
  attach(links: { connected(terminal: Terminal): boolean; deleted(terminal: Terminal): void }): void {
    this.#connected = (terminal) => links.connected(terminal);
    this.#onDeleted = (terminal) => links.deleted(terminal);
  }

  /**
   * Sets the function that deletes a terminal's row. The service for payments provides this function, because the
   * commit that deletes the row must also end the terminal's open payment.
   */
  onDelete(deleting: (id: string) => Promise<void>): void {
    this.#deleting = deleting;
  }

  /** Forgets a terminal whose deletion is stored, and closes its connection. */
  forget(terminal: Terminal): void {
    this.#directory.remove(terminal);
    this.#parts.copies.changed('terminals', terminal.id);
    this.#onDeleted(terminal);
  }

  byPoiId(poiId: string): Terminal | undefined {
    return this.#directory.byPoiId(poiId);
  }

  byId(id: string): Terminal | undefined {
    return this.#directory.byId(id);
  }

  /**
   * Gives the terminal in a request's path, if the terminal belongs to the caller.
   *
   * @throws ApiError terminalNotFound. The error is the same for a terminal of another account, because such a terminal
   *   does not exist for this caller (B7)
   */
  ofCaller(id: string, caller: { accountId: string; environment: Environment }): Terminal {
    const terminal = this.#directory.byId(id);
    if (terminal?.accountId !== caller.accountId || terminal.environment !== caller.environment)
      throw new ApiError('terminalNotFound');
    return terminal;
  }

  /** Lists the caller's terminals for GET /terminals (B3). */
  listFor(caller: { accountId: string; environment: Environment }): TerminalView[] {
    const views: TerminalView[] = [];
    for (const terminal of this.#directory.all()) {
      if (terminal.accountId !== caller.accountId || terminal.environment !== caller.environment) continue;
      const { id, name, address } = terminal.store;
      views.push({
        poi_id: terminal.poiId,
        identifier: terminal.id,
        effective_payout_account: terminal.payoutAccount,
        store: { identifier: id, name, address },
      });
    }
    return views;
  }

  /**
   * Makes a store. If a store with the same id exists, that store gets the given values.
   *
   * @throws ApiError notFound if the account does not exist, conflict if the id belongs to another account
   */
  async createStore(input: StoreInput): Promise<StoreView> {
    this.#parts.accounts.account(input.accountId);
    const id = input.id?.toLowerCase() ?? this.#parts.runtime.identifiers.next();
    const row: StoreRow = {
      id,
      account_id: input.accountId,
      environment: input.environment ?? 'sandbox',
      name: input.name,
      address: input.address ?? '',
      created_at: this.#parts.runtime.clock.now(),
    };
    await this.#parts.store.write(async (db) => {
      const former = await readRowById(db, 'stores', id);
      if (!former) return db.insertInto('stores').values(row).execute();
      if (former.account_id !== row.account_id || former.environment !== row.environment)
        throw new ApiError('conflict', { message: `The store ${id} belongs to another account` });
      row.created_at = former.created_at;
      return db.updateTable('stores').set(row).where('id', '=', id).execute();
    });
    this.#directory.putStore(row);
    this.#parts.copies.changed('stores', row.id);
    this.#parts.runtime.journal.add('control.changed', { what: `store ${row.id}` });
    return storeView(row);
  }

  listStores(accountId?: string): StoreView[] {
    return [...this.#directory.stores.values()]
      .filter((row) => accountId === undefined || row.account_id === accountId)
      .map(storeView);
  }

  /**
   * Makes a terminal, and gives the terminal's device key. No other call gives this key. If the account has a terminal
   * with the same id or poi_id, that terminal gets the given values, and no key is given.
   *
   * @throws ApiError notFound if the store does not exist, conflict if the poi_id or id belongs to another account
   */
  async createTerminal(input: TerminalInput): Promise<CreatedTerminal> {
    const store = this.#storeRow(input.storeId);
    const former =
      this.#directory.byPoiId(input.poiId) ?? (input.id ? this.#directory.byId(input.id) : undefined);
    if (former) return this.#again(former, input, store);
    const deviceKey = input.deviceKey ?? makeSecret(this.#parts.runtime.random, 'dev_');
    const row = this.#newRow(input, store, hashSecret(deviceKey));
    await this.#parts.store.write(async (db) => {
      const taken = await db
        .selectFrom('terminals')
        .select('poi_id')
        .where((where) => where.or([where('id', '=', row.id), where('poi_id', '=', row.poi_id)]))
        .executeTakeFirst();
      if (taken?.poi_id === row.poi_id)
        throw new ApiError('conflict', { message: `The terminal ${row.poi_id} already exists` });
      if (taken)
        throw new ApiError('conflict', {
          message: `The identifier ${row.id} already belongs to the terminal ${taken.poi_id}`,
        });
      await db.insertInto('terminals').values(row).execute();
    });
    return { ...this.#remember(row), deviceKey };
  }

  /**
   * Gives the terminals with these device keys. For an unknown key, makes a terminal in the store, with a number that
   * the gateway chooses (B197). Existing terminals are not changed.
   *
   * @throws ApiError notFound if the store does not exist
   */
  async terminalsOfKeys(storeId: string, deviceKeys: readonly string[]): Promise<ProvisionedTerminal[]> {
    const store = this.#storeRow(storeId);
    const found = await findOrCreateTerminals(this.#parts.store, deviceKeys.map(hashSecret), (poiId, hash) =>
      this.#newRow({ poiId }, store, hash),
    );
    return found.map(({ row, made }) =>
      made ? this.#remember(row) : this.#provisioned(this.#directory.read(row)),
    );
  }

  /**
   * @throws ApiError terminalNotFound; notFound if the store does not exist; conflict if the store belongs to another
   * account
   */
  async updateTerminal(
    id: string,
    changes: TerminalChanges & { deviceKey?: string },
  ): Promise<ProvisionedTerminal> {
    const terminal = this.required(id);
    if (changes.storeId !== undefined) this.#sameOwner(terminal, this.#storeRow(changes.storeId));
    const row = await this.#parts.store.write((db) =>
      db
        .updateTable('terminals')
        .set({
          ...(changes.storeId === undefined ? {} : { store_id: changes.storeId.toLowerCase() }),
          ...(changes.payoutAccount === undefined ? {} : { payout_account: changes.payoutAccount }),
          ...(changes.magicAmounts === undefined ? {} : { magic_amounts: numeric(changes.magicAmounts) }),
          ...(changes.deviceKey === undefined ? {} : { device_key_hash: hashSecret(changes.deviceKey) }),
          id: terminal.id,
        })
        .where('id', '=', terminal.id)
        .returningAll()
        .executeTakeFirst(),
    );
    // The terminal may have been deleted meanwhile.
    if (!row || !this.#directory.byId(row.id)) throw new ApiError('terminalNotFound');
    return this.#remember(row);
  }

  /**
   * Deletes a terminal, and ends its open payment (B8).
   *
   * @throws ApiError terminalNotFound
   */
  async deleteTerminal(id: string): Promise<void> {
    const terminal = this.required(id);
    await this.#deleting(terminal.id);
    this.#parts.runtime.journal.add(
      'control.changed',
      { what: 'terminal deleted' },
      { terminal: terminal.poiId },
    );
  }

  listTerminals(accountId?: string): ProvisionedTerminal[] {
    return [...this.#directory.all()]
      .filter((terminal) => accountId === undefined || terminal.accountId === accountId)
      .map((terminal) => this.#provisioned(terminal));
  }

  async #again(former: Terminal, input: TerminalInput, store: StoreRow): Promise<CreatedTerminal> {
    this.#sameOwner(former, store);
    if (former.poiId !== input.poiId || (input.id !== undefined && former.id !== input.id.toLowerCase()))
      throw new ApiError('conflict', { message: 'Another terminal has this id or poi_id' });
    const { storeId, payoutAccount, magicAmounts, deviceKey } = input;
    return this.updateTerminal(former.id, {
      storeId,
      payoutAccount,
      magicAmounts,
      deviceKey,
    });
  }

  #newRow(input: Omit<TerminalInput, 'storeId'>, store: StoreRow, deviceKeyHash: string): TerminalRow {
    const { clock, identifiers } = this.#parts.runtime;
    return {
      id: (input.id ?? identifiers.next()).toLowerCase(),
      account_id: store.account_id,
      environment: store.environment,
      poi_id: input.poiId,
      store_id: store.id,
      payout_account: input.payoutAccount === undefined ? identifiers.next() : input.payoutAccount,
      device_key_hash: deviceKeyHash,
      magic_amounts: numeric(input.magicAmounts ?? null),
      created_at: clock.now(),
    };
  }

  #sameOwner(terminal: Terminal, store: StoreRow): void {
    if (store.account_id !== terminal.accountId || store.environment !== terminal.environment)
      throw new ApiError('conflict', {
        message: `The terminal ${terminal.poiId} belongs to another account or environment than the store`,
      });
  }

  /** @throws ApiError terminalNotFound */
  required(id: string): Terminal {
    const terminal = this.#directory.byId(id);
    if (!terminal) throw new ApiError('terminalNotFound');
    return terminal;
  }

  #storeRow(id: string): StoreRow {
    const store = this.#directory.stores.get(id.toLowerCase());
    if (!store) throw new ApiError('notFound', { message: `Store ${id} does not exist` });
    return store;
  }

  #remember(row: TerminalRow): ProvisionedTerminal {
    const terminal = this.#directory.put(row);
    this.#parts.copies.changed('terminals', row.id);
    this.#parts.runtime.journal.add('control.changed', { what: 'terminal' }, { terminal: row.poi_id });
    return this.#provisioned(terminal);
  }

  /** Forgets a terminal that another gateway has deleted. */
  #gone(id: string): void {
    const terminal = this.#directory.byId(id);
    if (terminal) this.forget(terminal);
  }

  #provisioned(terminal: Terminal): ProvisionedTerminal {
    const { id, poiId, accountId, environment, store, payoutAccount, magicAmounts } = terminal;
    const connected = this.#connected(terminal);
    return { id, poiId, accountId, environment, storeId: store.id, payoutAccount, magicAmounts, connected };
  }
}

function storeView(row: StoreRow): StoreView {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    name: row.name,
    address: row.address,
  };
}

function numeric(flag: boolean | null): number | null {
  return flag === null ? null : Number(flag);
}
