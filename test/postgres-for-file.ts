import { afterAll } from 'vitest';
import { PostgresServer } from './postgres-server.ts';

/** A server for the tests of one file, which starts when the first of them asks and is stopped after the last. */
export function postgresForFile(): () => Promise<PostgresServer> {
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => (await server)?.remove(), 120_000);
  return () => {
    server ??= PostgresServer.start();
    return server;
  };
}
