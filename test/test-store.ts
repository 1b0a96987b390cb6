import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import { type GatewayStore, openGatewayStore } from '../gateway/store/store.ts';
import { systemClock } from '../shared/clock.ts';
import type { InFlightTracker } from '../shared/in-flight.ts';
import { memoize } from '../shared/memoize.ts';
import { sharedPostgres, template } from './shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** True in the test project `postgres`. */
    postgres?: boolean;
  }
}

const postgres = memoize(sharedPostgres);
const made = new Set<string>();
let inMemory = 0;

/**
 * Opens a store for a test. The store is in SQLite. In the test project `postgres`, the store is in PostgreSQL,
 * where each `file` has a database of its own.
 */
export async function openTestStore(
  options: { file?: string; inFlight?: InFlightTracker } = {},
): Promise<GatewayStore> {
  const { file = ':memory:', inFlight } = options;
  if (!inject('postgres')) return openGatewayStore({ file, ...(inFlight ? { inFlight } : {}) });
  const server = await postgres();
  const name = nameOf(file);
  if (!made.has(name)) await server.sql(`create database ${name} template ${template}`);
  made.add(name);
  const store = await openGatewayStore({
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

/**
 * Returns the name of a database. The names differ between workers, because the workers are separate processes but
 * share the server.
 */
function nameOf(file: string): string {
  if (file === ':memory:') return `memory_${process.pid}_${inMemory++}`;
  return `file_${createHash('md5').update(file).digest('hex')}`;
}
