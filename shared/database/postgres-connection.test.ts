import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Kysely, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { systemClock } from '../clock.ts';
import { Database } from './database.ts';
import { connectPostgres } from './postgres-connection.ts';

describe.runIf(hasPostgres())('the server of PostgreSQL', () => {
  const server = prepareDatabasesForFile();

  test('sends keep-alives to each connection, so that it notices a client that has vanished', async () => {
    const url = await (await server()).newUrl();
    const database = await Database.open<object>({ url, clock: systemClock, migrations: {} });
    onTestFinished(() => database.close());
    const show = async (db: Kysely<object>) => (await sql`show tcp_keepalives_idle`.execute(db)).rows;
    expect(await database.read(show)).toEqual([{ tcp_keepalives_idle: '5' }]);
    expect(await database.write(show)).toEqual([{ tcp_keepalives_idle: '5' }]);
  });
});

test('a connection whose settings the server refuses is closed', async () => {
  const refusing = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]));
      socket.on('data', () => {
        const error = message('E', 'SERROR\0C42704\0Mno such setting\0\0');
        socket.write(Buffer.concat([error, message('Z', 'I')]));
      });
    });
  });
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  onTestFinished(() => void refusing.close());
  const accepted = once(refusing, 'connection');
  const { port } = refusing.address() as AddressInfo;
  const connected = connectPostgres(`postgres://pinpad@127.0.0.1:${port}/x`, () => {});
  const [socket] = (await accepted) as [Socket];
  const closed = once(socket, 'close');
  await expect(connected).rejects.toThrow('no such setting');
  await closed;
});

/** Makes a message of PostgreSQL's protocol. */
function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(body));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}
