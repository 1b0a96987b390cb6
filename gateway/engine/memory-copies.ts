import type { GatewayTables } from '../store/schema.ts';

/** The tables whose rows a gateway keeps in memory, each with the name of its key column. */
export const memoryCopiedTables = {
  accounts: 'id',
  tokens: 'id',
  stores: 'id',
  terminals: 'id',
  outcomes: 'subject',
  webhooks: 'id',
  contacts: 'id',
  credit_cards: 'id',
  bank_accounts: 'id',
  console_ended: 'id',
  faults: 'id',
  aimed_faults: 'id',
} as const satisfies { [Table in keyof GatewayTables]?: keyof GatewayTables[Table] };

export type MemoryCopiedTable = keyof typeof memoryCopiedTables;

/** The access to the rows of a table that a service keeps in memory. */
export interface MemoryRowsAccess<Row> {
  /** Gives the keys of the rows in memory. */
  known(): Iterable<string>;
  /**
   * Puts the present row into memory. If `row` is undefined, the row was deleted, and this function removes it from
   * memory.
   */
  install(key: string, row: Row | undefined): void;
}

/** Keeps rows in memory up to date when other gateways change the tables. */
export interface MemoryCopyUpdater {
  /**
   * From now on, updates memory whenever another gateway changes this table. If several tables have changed, they are
   * updated in the order of the calls of this method.
   */
  keep<Table extends MemoryCopiedTable>(table: Table, kept: MemoryRowsAccess<GatewayTables[Table]>): void;
  /**
   * Call this for each row that this gateway has changed on disk and in memory. The other gateways then read the row
   * from the database.
   */
  changed(table: MemoryCopiedTable, key: string): void;
  /**
   * Resolves when everything that was committed before this call is in memory. Returns undefined if there are no other
   * gateways.
   */
  current(): Promise<void> | undefined;
}

/** The implementation for a lone gateway. No other gateway changes its tables, so there is nothing to do. */
export const loneGatewayCopyUpdater: MemoryCopyUpdater = {
  keep() {},
  changed() {},
  current: () => undefined,
};
