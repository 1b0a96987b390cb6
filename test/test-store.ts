import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import { openStore, type Store } from '../gateway/store/store.ts';
import { systemClock } from '../shared/clock.ts';
import type { InFlight } from '../shared/in-flight.ts';
import { memoize } from '../shared/memoize.ts';
import { sharedPostgres, template } from './shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set in the project `postgres`. */
    postgres?: boolean;
  }
}

const postgres = memoize(sharedPostgres);
const made = new Set<string>();
let inMemory = 0;

/**
 * Opens a store for a test. It is in SQLite, or in the project `postgres` in a database of its own for each test file.
 */
export async function openTestStore(options: { file?: string; inFlight?: InFlight } = {}): Promise<Store> {
  const { file = ':memory:', inFlight } = options;
  if (!inject('postgres')) return openStore({ file, ...(inFlight ? { inFlight } : {}) });
  const server = await postgres();
  const name = nameOf(file);
  if (!made.has(name)) await server.sql(`create database ${name} template ${template}`);
  made.add(name);
  const store = await openStore({
    url: server.url(name),
    clock: systemClock,
    ...(inFlight ? { inFlight } : {}),
  });
  if (file !== ':memory:') return store;
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await server.sql(`drop database ${name} with (force)`);
  };
  return store;
}

/** The workers are separate processes, but they share the server. */
function nameOf(file: string): string {
  if (file === ':memory:') return `memory_${process.pid}_${inMemory++}`;
  return `file_${createHash('md5').update(file).digest('hex')}`;
}
