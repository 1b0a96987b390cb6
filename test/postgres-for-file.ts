import { afterAll } from 'vitest';
import { PostgresServer } from './postgres-server.ts';
import { type SharedPostgres, sharedPostgres } from './shared-postgres.ts';

/** Databases for the tests of one file, on the server of all files; they are dropped after the last test. */
export function postgresForFile(): () => Promise<SharedPostgres> {
  let databases: Promise<SharedPostgres> | undefined;
  afterAll(async () => (await databases)?.drop(), 120_000);
  return () => {
    databases ??= sharedPostgres();
    return databases;
  };
}

/** A server for the tests of one file alone, which may kill it. It starts when the first of them asks. */
export function ownPostgresForFile(): () => Promise<PostgresServer> {
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => (await server)?.remove(), 120_000);
  return () => {
    server ??= PostgresServer.start();
    return server;
  };
}
