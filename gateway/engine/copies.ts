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

/** What a gateway keeps of a table in memory. */
export interface Kept<Row> {
  /** Keys of what is in memory. */
  known(): Iterable<string>;
  /** Takes over what a row is now; undefined if it is gone. */
  install(key: string, row: Row | undefined): void;
}

/** What is in memory of tables that other gateways change too. */
export interface Copies {
  /** From now on what other gateways change of the table is taken over; tables are brought up in the order of these calls. */
  keep<Table extends KeptTable>(table: Table, kept: Kept<Schema[Table]>): void;
  /** To be called with what this gateway has changed on disk and in memory: the others have to know. */
  changed(table: KeptTable, key: string): void;
  /** Resolves when what was committed before this call is in memory; undefined if no other gateway changes anything. */
  current(): Promise<void> | undefined;
}

/** Those of a lone gateway, which nobody else changes. */
export const onlyCopies: Copies = { keep() {}, changed() {}, current: () => undefined };
