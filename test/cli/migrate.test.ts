import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyFolderToPostgres, createGateway } from '../../gateway/index.ts';
import { PaymentsHarness } from '../../gateway/payments/payments-harness.fixture.ts';
import { openGatewayStore } from '../../gateway/store/store.ts';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { testThoroughly } from '../optional-programs.ts';
import { password } from '../postgres-databases.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres())('pinpad migrate', () => {
  const server = prepareDatabasesForFile();

  /**
   * Makes a data folder with two payments: one is paid, and the other is open. Returns the folder, and the answer that
   * a point of sale gets about the paid payment.
   */
  async function filledFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-migrate-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const runtime = createRuntime({ clock: 'virtual', seed: 3 });
    const harness = await PaymentsHarness.start({ runtime, file: join(folder, 'pinpad.sqlite') });
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(12.5, { key: 'paid' });
    await terminal.pay();
    await paying;
    const { body: answer } = await harness.call('GET', '/payment-requests/status?idempotencyKey=paid');
    void harness.pay(3, { key: 'open' }).catch(() => {});
    await terminal.next('PaymentRequest');
    await harness.stop();
    return { folder, answer };
  }

  const migrate = (folder: string, url: string, ...args: string[]) =>
    runPinpadInProcess(['migrate', '--data', folder, ...args], { PINPAD_DATABASE: url });

  test('copies all data of a folder, and a gateway continues with them', async () => {
    const { folder, answer } = await filledFolder();
    const postgres = await server();
    const url = await postgres.newUrl();
    const moving = new PinpadProcess(['migrate', '--data', folder], { PINPAD_DATABASE: url });
    const { code, stdout } = await moving.ended();
    expect(code).toBe(0);
    expect(stdout).toContain('payments  2\n');
    expect(stdout).toContain('Everything was copied: 1 payments concluded, 1 open, the books agree.\n');

    const source = await openGatewayStore({ file: join(folder, 'pinpad.sqlite') });
    const tables = await source.read((db) => db.introspection.getTables());
    for (const { name, columns } of tables) {
      const texts = columns.map((column) => `coalesce("${column.name}"::text, '-')`).join(` || '|' || `);
      const { rows } = await source.read((db) =>
        db
          .selectFrom(name as 'payments')
          .selectAll()
          .execute()
          .then((rows) => ({ rows })),
      );
      const expected = rows.map((row) =>
        columns.map((column) => (row as never)[column.name] ?? '-').join('|'),
      );
      const there = (await postgres.sql(`select ${texts} from ${name}`, url))
        .split('\n')
        .filter((line) => line !== '');
      expect(there.sort(), name).toEqual(expected.sort());
    }
    await source.close();

    const gateway = await createGateway({ database: url });
    onTestFinished(() => gateway.close());
    const headers = { authorization: 'Bearer test_token-of-the-shop' };
    const path = '/payment-requests/status?idempotencyKey=';
    const paid = await fetch(`${gateway.url}${path}paid`, { headers });
    expect(await paid.json()).toEqual(answer);
  });

  testInCi('copies the tokens too, which stay valid, also from another folder (B195)', async () => {
    const url = await (await server()).newUrl();
    const [folder, elsewhere] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'pinpad-migrate-'))) as [
      string,
      string,
    ];
    onTestFinished(() => {
      for (const each of [folder, elsewhere]) rmSync(each, { recursive: true });
    });
    const start = (changes: ConfigChanges) =>
      startStack(resolveConfig(undefined, { port: 0, pacing: 'instant', ...changes }), { terminals: false });
    const known = ({ controlToken, tokens, terminals }: Stack) => ({ controlToken, tokens, terminals });
    const before = await start({ data: folder });
    await before.close();
    const { code, stdout } = await migrate(folder, url);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Everything was copied')]);
    for (const data of [folder, elsewhere]) {
      const after = await start({ data, database: url });
      expect(known(after)).toEqual(known(before));
      const headers = { authorization: `Bearer ${before.controlToken}` };
      expect((await fetch(`${after.url}/control/terminals`, { headers })).status).toBe(200);
      await after.close();
    }
  });

  testInCi('leaves the database empty if it breaks off, and can be repeated', async () => {
    const { folder } = await filledFolder();
    const postgres = await server();
    const url = await postgres.newUrl();
    await (await openGatewayStore({ url, clock: systemClock })).close();
    await postgres.sql('alter table ledger add constraint nothing check (amount < 0)', url);
    const failed = await migrate(folder, url);
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toMatch(/^pinpad: the copy failed, and the database is unchanged: .*"nothing"\n$/m);
    expect(await postgres.sql('select count(*) from accounts', url)).toBe('0');
    await postgres.sql('alter table ledger drop constraint nothing', url);
    const { rows, books } = await copyFolderToPostgres({ dataFolder: folder, database: url });
    expect([rows.payments, books.agree]).toEqual([2, true]);
  });

  testInCi('refuses what is impossible in one line, without the secrets of the address', async () => {
    const { folder } = await filledFolder();
    const postgres = await server();
    const [used, filled] = [await postgres.newUrl(), await postgres.newUrl()];
    const gateway = await createGateway({ database: used, cluster: { name: 'till' } });
    onTestFinished(() => gateway.close());
    await copyFolderToPostgres({ dataFolder: folder, database: filled });
    const empty = mkdtempSync(join(tmpdir(), 'pinpad-migrate-'));
    onTestFinished(() => rmSync(empty, { recursive: true }));
    const refusals = [
      await migrate(empty, filled),
      await migrate(folder, filled),
      await migrate(folder, used),
      await migrate(folder, ''),
      await migrate(folder, `mysql://pinpad:${password}@host/data`),
    ];
    const emptied = mkdtempSync(join(tmpdir(), 'pinpad-migrate-'));
    onTestFinished(() => rmSync(emptied, { recursive: true }));
    writeFileSync(join(emptied, 'pinpad.sqlite'), '');
    refusals.push(await migrate(emptied, await postgres.newUrl()));
    const inUse = await createGateway({ dataFolder: folder });
    onTestFinished(() => inUse.close());
    refusals.push(await migrate(folder, await postgres.newUrl()));
    expect(refusals.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
      [2, '', `pinpad: there is no data in ${empty}: it has no file pinpad.sqlite\n`],
      [2, '', 'pinpad: the database is not empty: it has rows in accounts; choose an empty database\n'],
      [2, '', 'pinpad: the gateway till uses the database; stop it first, or choose another database\n'],
      [
        2,
        '',
        'pinpad: give an empty PostgreSQL database: --database postgres://user@host/database, or PINPAD_DATABASE; special characters of a password are written as %XX\n',
      ],
      [
        2,
        '',
        'pinpad: give an empty PostgreSQL database: --database postgres://user@host/database, or PINPAD_DATABASE; special characters of a password are written as %XX\n',
      ],
      [2, '', `pinpad: there is no data in ${emptied}: its file pinpad.sqlite is empty\n`],
      [2, '', `pinpad: a gateway uses ${folder}; stop it first\n`],
    ]);
  });
});
