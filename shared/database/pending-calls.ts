import type { Kysely } from 'kysely';
import type { SqlStep } from './change.ts';

/** A piece of work in a transaction. It waits only for the database, and changes only the database. */
export type TransactionWork<Schema, Result> = (unit: Kysely<Schema>) => Promise<Result>;

/** A call to the database that has not ended yet. Its callbacks report how it ends. */
export interface PendingCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  done(): void;
}

export interface PendingUnit<Schema> extends PendingCall {
  work: TransactionWork<Schema, unknown>;
  tries: number;
}

export interface PendingBatch extends PendingCall {
  steps: SqlStep[];
}

export function isBatch<Schema>(asked: PendingUnit<Schema> | PendingBatch): asked is PendingBatch {
  return 'steps' in asked;
}

export function isUnit<Schema>(asked: PendingUnit<Schema> | PendingBatch): asked is PendingUnit<Schema> {
  return 'work' in asked;
}

/**
 * Removes the entries of one kind from the front of `queue`, up to the first entry of another kind, and returns them.
 */
export function shiftWhile<Entry, Kind extends Entry>(
  queue: Entry[],
  is: (entry: Entry) => entry is Kind,
): Kind[] {
  const other = queue.findIndex((entry) => !is(entry));
  return queue.splice(0, other < 0 ? queue.length : other) as Kind[];
}

export function finishUnit(unit: PendingCall, notify: () => void): void {
  notify();
  unit.done();
}

/** Returns a promise that never settles. Each call on an abandoned database gets such a promise. */
export function neverSettlingPromise<Result>(): Promise<Result> {
  return new Promise<Result>(() => {});
}
