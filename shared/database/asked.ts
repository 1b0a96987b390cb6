import type { Kysely } from 'kysely';
import type { SqlStep } from './change.ts';

/** A piece of work inside a transaction. It awaits nothing but the database, and changes nothing else. */
export type UnitOfWork<Schema, Result> = (unit: Kysely<Schema>) => Promise<Result>;

/** What was asked of a database, and who hears what became of it. */
export interface PendingCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  done(): void;
}

export interface Unit<Schema> extends PendingCall {
  work: UnitOfWork<Schema, unknown>;
  tries: number;
}

export interface Batch extends PendingCall {
  steps: SqlStep[];
}

export function isBatch<Schema>(asked: Unit<Schema> | Batch): asked is Batch {
  return 'steps' in asked;
}

export function isUnit<Schema>(asked: Unit<Schema> | Batch): asked is Unit<Schema> {
  return 'work' in asked;
}

/** Takes from the front of `queue` what is of a kind. */
export function takeWhile<Entry, Kind extends Entry>(
  queue: Entry[],
  is: (entry: Entry) => entry is Kind,
): Kind[] {
  const other = queue.findIndex((entry) => !is(entry));
  return queue.splice(0, other < 0 ? queue.length : other) as Kind[];
}

export function settleUnit(unit: PendingCall, notify: () => void): void {
  notify();
  unit.done();
}

/** For who asks a database that was abandoned: nobody is told anything any more. */
export function never<Result>(): Promise<Result> {
  return new Promise<Result>(() => {});
}
