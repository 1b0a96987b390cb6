import type { Environment } from '../store/ownership.ts';
import type { StoreRow, TerminalRow } from '../store/rows/terminals.ts';

/** A terminal with its store, in the form in which the gateway keeps it in memory. */
export interface Terminal {
  readonly id: string;
  readonly poiId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly store: { readonly id: string; readonly name: string; readonly address: string };
  readonly payoutAccount: string | null;
  readonly deviceKeyHash: string;
  /** Whether the last digits of an amount decide the host's answer. If this is null, the account's setting applies. */
  readonly magicAmounts: boolean | null;
}

/** Keeps all terminals and stores in memory, so that a search for a terminal or store needs no read of the database. */
export class TerminalDirectory {
  readonly stores = new Map<string, StoreRow>();
  #byId = new Map<string, Terminal>();
  #byPoiId = new Map<string, Terminal>();

  put(row: TerminalRow): Terminal {
    const terminal = this.read(row);
    this.#byId.set(row.id, terminal);
    this.#byPoiId.set(row.poi_id, terminal);
    return terminal;
  }

  /** Makes a terminal from its row. The terminal need not be in memory. */
  read(row: TerminalRow): Terminal {
    const store = this.stores.get(row.store_id);
    return {
      id: row.id,
      poiId: row.poi_id,
      accountId: row.account_id,
      environment: row.environment,
      store: { id: row.store_id, name: store?.name ?? '', address: store?.address ?? '' },
      payoutAccount: row.payout_account,
      deviceKeyHash: row.device_key_hash,
      magicAmounts: row.magic_amounts === null ? null : row.magic_amounts === 1,
    };
  }

  /** Changes the name and address of a store. The store's terminals then also have the new name and address. */
  putStore(row: StoreRow): void {
    this.stores.set(row.id, row);
    for (const terminal of this.#byId.values()) {
      if (terminal.store.id !== row.id) continue;
      const renamed = { ...terminal, store: { id: row.id, name: row.name, address: row.address } };
      this.#byId.set(terminal.id, renamed);
      this.#byPoiId.set(terminal.poiId, renamed);
    }
  }

  remove(terminal: Terminal): void {
    this.#byId.delete(terminal.id);
    if (this.byPoiId(terminal.poiId)?.id === terminal.id) this.#byPoiId.delete(terminal.poiId);
  }

  byId(id: string): Terminal | undefined {
    return this.#byId.get(id.toLowerCase());
  }

  byPoiId(poiId: string): Terminal | undefined {
    return this.#byPoiId.get(poiId);
  }

  all(): Iterable<Terminal> {
    return this.#byId.values();
  }
}
