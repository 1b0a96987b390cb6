import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../shared/clock.ts';
import { PostgresServer } from './postgres-server.ts';
import { template } from './shared-postgres.ts';

/**
 * Vitest runs this function before the tests. The function starts a PostgreSQL server when a worker first asks for it.
 * `shared-postgres.ts` uses this server in all workers.
 */
export default async function setup(): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined;
  const asked = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ port }) => response.end(String(port)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => asked.listen(0, '127.0.0.1', listening));
  process.env.PINPAD_POSTGRES = `http://127.0.0.1:${(asked.address() as AddressInfo).port}`;
  return async () => {
    asked.close();
    await (await started)?.remove();
  };
}

async function start(): Promise<PostgresServer> {
  const server = await PostgresServer.start({ max_connections: '200', autovacuum: 'off' });
  await server.sql(`create database ${template}`);
  const { openGatewayStore } = await import('../gateway/store/store.ts'); // most runs of a single file need no server
  await (await openGatewayStore({ url: server.url(template), clock: systemClock })).close();
  return server;
}
