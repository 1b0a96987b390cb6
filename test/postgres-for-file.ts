import { afterAll } from 'vitest';
import { PostgresServer } from './postgres-server.ts';
import { type SharedPostgres, sharedPostgres } from './shared-postgres.ts';

/**
 * Creates databases for the tests of one file, on the server that all files share. The databases are dropped after the
 * last test.
 */
export function prepareDatabasesForFile(): () => Promise<SharedPostgres> {
  let databases: Promise<SharedPostgres> | undefined;
  afterAll(async () => (await databases)?.drop(), 120_000);
  return () => {
    databases ??= sharedPostgres();
    return databases;
  };
}

/**
 * Starts a server for the tests of one file only, so these tests may kill the server. The server starts when a test
 * first calls the returned function.
 */
export function prepareServerForFile(): () => Promise<PostgresServer> {
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => (await server)?.remove(), 120_000);
  return () => {
    server ??= PostgresServer.start();
    return server;
  };
}
