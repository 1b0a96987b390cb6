import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyFolderToPostgres } from '../../gateway/index.ts';
import { type GatewayStore, openGatewayStore } from '../../gateway/store/store.ts';
import { Receiver } from '../../gateway/webhooks/receiver.fixture.ts';
import { systemClock } from '../../shared/clock.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { sampleCases } from '../draws.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { call, type LeftOpenState, pay, submit, tap, type UpgradableGateway } from './leave-open.ts';

/**
 * This release opens the data that older code left when it was killed with open payments (`make.ts`). At its first
 * start, it brings the data up to date, and then everything continues. Version 0.1.0 does not support PostgreSQL.
 */

const nowhere = 'http://127.0.0.1:9/';

/**
 * Prepares the data that the old code left. Copies the credentials into a new folder. Returns a receiver, and a
 * function that reads files with SQL statements. The function replaces the address of the webhook by the receiver's
 * address.
 */
async function left(release: string, name: 'folder' | 'postgres') {
  const receiver = await Receiver.start();
  const data = mkdtempSync(join(tmpdir(), 'pinpad-upgrade-'));
  onTestFinished(async () => {
    await receiver.close();
    rmSync(data, { recursive: true });
  });
  const read = (file: string) => readFileSync(join(import.meta.dirname, release, name, file), 'utf8');
  const known = JSON.parse(read('known.json')) as LeftOpenState;
  cpSync(join(import.meta.dirname, release, name, 'credentials.json'), join(data, 'credentials.json'));
  const statements = (file: string) => read(file).replaceAll(nowhere, receiver.url);
  return { known, receiver, data, statements };
}

function fill(file: string, statements: string): void {
  const database = new SQLite(file);
  database.exec(statements);
  database.close();
}

async function start(changes: ConfigChanges): Promise<Stack> {
  const stack = await startStack(resolveConfig(undefined, { port: 0, pacing: 'instant', ...changes }));
  onTestFinished(() => stack.close());
  return stack;
}

/**
 * Checks that everything a point of sale had before the upgrade is still valid. Open payments have to end as they would
 * have without the upgrade.
 */
async function goesOn(stack: Stack, known: LeftOpenState, receiver: Receiver): Promise<void> {
  const gateway: UpgradableGateway = { ...known, url: stack.url };
  const { token, controlToken } = known;
  const status = (query: string) => call(gateway, token, 'GET', `/payment-requests/status?${query}`);
  expect(stack.controlToken).toBe(controlToken);
  expect((await status('idempotencyKey=paid')).identifier).toBe(known.paid.identifier);
  const { identifier } = await pay(gateway, 0, 'paid');
  expect(identifier).toBe(known.paid.identifier);
  expect(await call(gateway, known.secondToken, 'GET', '/terminals')).toHaveLength(2);

  const approved = await status(`transactionId=${known.approved}`);
  expect(approved).toMatchObject({ identifier: known.approved, response: { result: 'success' } });
  await tap(gateway, 1);
  const waited = await status(`transactionId=${known.waiting}`);
  expect(waited).toMatchObject({ identifier: known.waiting, response: { result: 'success' } });
  const books = await call(gateway, controlToken, 'GET', '/control/books');
  expect(books).toMatchObject({ agree: true, open: 0 });

  await restGoesOn(gateway, known);
  const types = () => receiver.received.map(({ body }) => JSON.parse(body).type as string);
  const expected = ['debits.completed', 'debits.preauthorized', 'credits.initiated', 'credits.completed'];
  await expect
    .poll(types, { timeout: 30_000 })
    .toEqual(expect.arrayContaining(expected.map((type) => `payments.${type}`)));
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  const signed = new Webhook(known.webhook.secret).verify(body, headers as Record<string, string>);
  expect(signed).toMatchObject({ type: expect.stringMatching(/^payments\./) });
}

/**
 * Checks that everything that needs no terminal is concluded. Also gives the money of a payment back, which older
 * releases cannot do.
 */
async function restGoesOn(gateway: UpgradableGateway, known: LeftOpenState): Promise<void> {
  const { token, controlToken, credit } = known;
  const control = (method: string, path: string, body?: object) =>
    call(gateway, controlToken, method, `/control${path}`, { body });
  const captured = await call(gateway, token, 'POST', `/debit/${known.preauthorized}/capture`);
  expect(captured).toMatchObject({ state: 'paid' });
  const failed = await control('POST', `/refunds/${known.refund}/fail`, { reason: 'closed account' });
  expect(failed).toMatchObject({ status: 'failed' });
  const iban = { kind: 'iban', iban: 'DE89 3704 0044 0532 0130 00' };
  await submit(gateway, credit, 'bank', iban);
  await submit(gateway, credit, 'accept', {});
  expect(await control('GET', `/credits/${credit.identifier}`)).toMatchObject({ state: 'completed' });
  const poiId = known.terminals[0]?.poiId;
  await control('POST', `/terminals/${poiId}/refund`, { payment: known.paid.identifier, amount: 5 });
  const givenBack = { agree: true, open: 0 };
  await expect.poll(() => control('GET', '/books'), { timeout: 30_000 }).toMatchObject(givenBack);
}

const releases = ['0.1.0', '627d27e'];

/**
 * Starts this release on the folder that an older release left. Runs until everything in the folder has been concluded.
 */
async function upgraded(release: string): Promise<string> {
  const { known, receiver, data, statements } = await left(release, 'folder');
  for (const name of ['pinpad', 'terminals']) fill(join(data, `${name}.sqlite`), statements(`${name}.sql`));
  const stack = await start({ data, clock: 'virtual' });
  await call({ url: stack.url }, known.controlToken, 'POST', '/control/clock/advance', {
    body: { ms: 6_000 },
  });
  await goesOn(stack, known, receiver);
  await stack.close();
  return data;
}

test.each(releases)('a data folder of %s is opened, and all its open work continues', async (release) => {
  await upgraded(release);
});

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  const server = prepareDatabasesForFile();

  test('a database of 627d27e is opened, and its payments, keys, tokens and webhooks continue', async () => {
    const { known, receiver, data, statements } = await left('627d27e', 'postgres');
    const postgres = await server();
    const database = await postgres.newUrl();
    // All times in the data are moved, as if the process had been killed half a minute ago.
    const later = Date.now() - 30_000 - known.at;
    const moved = (text: string) =>
      text.replaceAll(/\b\d{13}\b/g, (moment) => {
        // The end of an authorization or of a payment link is weeks after the kill. These times are moved as well, so
        // all times within 58 days of the kill are moved.
        const near = Math.abs(Number(moment) - known.at) < 5_000_000_000;
        return near ? String(Number(moment) + later) : moment;
      });
    for (const statement of moved(statements('database.sql')).split(';\n'))
      if (statement !== '') await postgres.sql(statement, database);
    fill(join(data, 'terminals.sqlite'), moved(statements('terminals.sql')));
    await goesOn(await start({ data, database }), known, receiver);
  });

  test.each(sampleCases(releases, 2))(
    'a data folder of %s is copied completely by pinpad migrate, row for row',
    async (release) => {
      const data = await upgraded(release);
      const file = join(data, 'pinpad.sqlite');
      const tables = tablesIn(file);
      fillEmpty(file, tables);
      const url = await (await server()).newUrl();
      await copyFolderToPostgres({ dataFolder: data, database: url });
      const source = await openGatewayStore({ file });
      const target = await openGatewayStore({ url, clock: systemClock });
      onTestFinished(() => Promise.all([source.close(), target.close()]).then(() => {}));
      const rows = async (store: GatewayStore, table: string) => {
        const all = await store.read((db) =>
          db
            .selectFrom(table as 'payments')
            .selectAll()
            .execute(),
        );
        return all.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
      };
      for (const table of tables) {
        const expected = await rows(source, table);
        expect(expected.length, table).toBeGreaterThan(0);
        expect(await rows(target, table), table).toEqual(ofGatewaysThere.includes(table) ? [] : expected);
      }
    },
  );
});

/** Tables about running gateways, which are not copied to the other database. Every other table has to be copied. */
const ofGatewaysThere = ['gateways', 'terminal_owners', 'leases'];

function tablesIn(file: string): string[] {
  const database = new SQLite(file);
  const named = "select name from sqlite_schema where type = 'table'";
  const tables = database.prepare<[], string>(named).pluck().all();
  database.close();
  return tables.filter((name) => !/^(sqlite|kysely)_/.test(name));
}

/** Adds a row to each empty table. Without a row, the test could not notice that a table is not copied. */
function fillEmpty(file: string, tables: readonly string[]): void {
  const database = new SQLite(file);
  for (const table of tables) {
    if (database.prepare(`select 1 from "${table}"`).get()) continue;
    const columns = database
      .prepare<[], { type: string }>(`select type from pragma_table_info('${table}')`)
      .all();
    const values = columns.map(({ type }) => (/int/i.test(type) ? 1 : "'x'"));
    database.exec(`insert into "${table}" values (${values.join(', ')})`);
  }
  database.close();
}
