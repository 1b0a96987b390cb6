import type { TestProject } from 'vitest/node';
import { openStore } from '../gateway/store/store.ts';
import { systemClock } from '../shared/clock.ts';
import { PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of the project `postgres`; undefined in others, whose tests keep their data in SQLite. */
    postgres: string | undefined;
  }
}

/** The database that those of the tests are copies of. */
export const template = 'pinpad_template';

/** Vitest runs this before the tests of the project `postgres`: a server for all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  server.sql(`create database ${template}`);
  await (await openStore({ url: server.url(template), clock: systemClock })).close();
  project.provide('postgres', server.url());
  return () => server.remove();
}
