import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Receiver } from '../../gateway/webhooks/receiver.fixture.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { postgresForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { call, type Known, pay, type Ready, tap } from './leave-open.ts';

/**
 * What the code of 627d27e left when it was killed with payments open (`make.ts`), opened by this one: a release brings data
 * up to date at its first start, and everything goes on.
 */

const fixtures = join(import.meta.dirname, '627d27e');
const nowhere = 'http://127.0.0.1:9/';

/** A data folder of the old code, whose webhook leads to the receiver; `changed` is done to every file's text. */
async function left(name: 'folder' | 'postgres') {
  const receiver = await Receiver.start();
  const data = mkdtempSync(join(tmpdir(), 'pinpad-upgrade-'));
  onTestFinished(async () => {
    await receiver.close();
    rmSync(data, { recursive: true });
  });
  const read = (file: string) => readFileSync(join(fixtures, name, file), 'utf8');
  const known = JSON.parse(read('known.json')) as Known;
  cpSync(join(fixtures, name, 'credentials.json'), join(data, 'credentials.json'));
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

/** Whatever a point of sale had before the upgrade counts after it, and what was open ends as it would have. */
async function goesOn(stack: Stack, known: Known, receiver: Receiver): Promise<void> {
  const gateway: Ready = { ...known, url: stack.url };
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

  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  const signed = new Webhook(known.webhook.secret).verify(body, headers as Record<string, string>);
  expect(signed).toMatchObject({ type: 'payments.debits.completed' });
}

test('a data folder of 627d27e is opened, and its payments, keys, tokens and webhooks go on', async () => {
  const { known, receiver, data, statements } = await left('folder');
  for (const name of ['pinpad', 'terminals']) fill(join(data, `${name}.sqlite`), statements(`${name}.sql`));
  const stack = await start({ data, clock: 'virtual' });
  await call({ url: stack.url }, known.controlToken, 'POST', '/control/clock/advance', {
    body: { ms: 6_000 },
  });
  await goesOn(stack, known, receiver);
});

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  const server = postgresForFile();

  test('a database of 627d27e is opened, and its payments, keys, tokens and webhooks go on', async () => {
    const { known, receiver, data, statements } = await left('postgres');
    const postgres = await server();
    const database = await postgres.newUrl();
    // As if it had been killed half a minute ago.
    const later = Date.now() - 30_000 - known.at;
    const moved = (text: string) =>
      text.replaceAll(/\b\d{13}\b/g, (moment) => {
        const near = Math.abs(Number(moment) - known.at) < 3_600_000;
        return near ? String(Number(moment) + later) : moment;
      });
    for (const statement of moved(statements('database.sql')).split(';\n'))
      if (statement !== '') await postgres.sql(statement, database);
    fill(join(data, 'terminals.sqlite'), moved(statements('terminals.sql')));
    await goesOn(await start({ data, database }), known, receiver);
  });
});
