import type { Kysely } from 'kysely';

/** Undoes in memory what a transaction that was rolled back had changed there. Must not throw. */
export type Undo = () => void;

/** Takes note of how to undo what a transaction changes in memory. */
export interface Undoable {
  /** Runs `undo` if the transaction is rolled back, the latest registered first. */
  onRollback(undo: Undo): void;
}

/** A transaction under way: the database, and how to undo what it changes in memory. */
export type UnitOfWork<Schema> = Kysely<Schema> & Undoable;

/** Sets fields of an object; a rollback sets them back. */
export function assign<Target extends object>(
  unit: Undoable,
  target: Target,
  changes: Partial<Target>,
): void {
  const former: Partial<Target> = {};
  for (const field of Object.keys(changes) as (keyof Target)[]) former[field] = target[field];
  unit.onRollback(() => Object.assign(target, former));
  Object.assign(target, changes);
}

/** Sets the value of a key, or removes it where there is none; a rollback restores the former one. */
export function put<Key, Value>(
  unit: Undoable,
  map: Map<Key, Value>,
  key: Key,
  value: Value | undefined,
): void {
  const former = map.get(key);
  unit.onRollback(() => place(map, key, former));
  place(map, key, value);
}

function place<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
