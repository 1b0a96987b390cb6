import type { Schema } from '../store/schema.ts';

/** The tables that a gateway keeps in memory, with their keys. */
export const keptTables = {
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
} as const satisfies { [Table in keyof Schema]?: keyof Schema[Table] };

export type KeptTable = keyof typeof keptTables;

/** The part of a table that a gateway keeps in memory. */
export interface Kept<Row> {
  /** The keys of the rows in memory. */
  known(): Iterable<string>;
  /** Takes the present row into memory; undefined if the row is gone. */
  install(key: string, row: Row | undefined): void;
}

/** Keeps in memory tables that other gateways change too. */
export interface Copies {
  /**
   * From now on takes the changes of other gateways in the table into memory. Tables are brought up to date in the
   * order of these calls.
   */
  keep<Table extends KeptTable>(table: Table, kept: Kept<Schema[Table]>): void;
  /** Call it with what this gateway has changed on disk and in memory, so that the other gateways learn it. */
  changed(table: KeptTable, key: string): void;
  /** Resolves when what was committed before this call is in memory; undefined if no other gateway changes anything. */
  current(): Promise<void> | undefined;
}

/** The copies of a lone gateway: no other gateway changes them. */
export const onlyCopies: Copies = { keep() {}, changed() {}, current: () => undefined };
