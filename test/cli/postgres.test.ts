import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { password } from '../postgres-databases.ts';
import { prepareServerForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres())('pinpad with --database', () => {
  const server = prepareServerForFile();

  const folderOfTest = () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  };
  const startAs = (command: string[], url: string, folder: string) => {
    const common = ['--port', '0', '--json', '--data', folder];
    const process = new PinpadProcess([...command, ...common], { PINPAD_DATABASE: url });
    onTestFinished(() => void process.child.kill('SIGKILL'));
    return process;
  };
  const start = (url: string, folder: string, ...args: string[]) =>
    startAs(['up', '--headless', '--pacing', 'instant', '--log-level', 'debug', ...args], url, folder);
  const refused = (url: string, folder: string, ...args: string[]) =>
    runPinpadInProcess(['gateway', '--port', '0', '--json', '--data', folder, ...args], {
      PINPAD_DATABASE: url,
    });

  testInCi(
    'loses no payment if a gateway is killed or the database is away, and writes no secret (B179)',
    async () => {
      const postgres = await server();
      const [url, folder] = [await postgres.newUrl(), folderOfTest()];
      const first = start(url, folder);
      const before = client(await first.ready());
      const paid = before.pay('paid');
      await before.until('presentCard');
      await before.tap();
      const answer = await (await paid).text();
      const interrupted = before.pay('interrupted').catch(() => 'the connection broke off');
      await before.until('presentCard');
      const killed = await first.stop('SIGKILL');
      expect(await interrupted).toBe('the connection broke off');

      const second = start(url, folder);
      const after = client(await second.ready());
      const ended = await after.call('GET', '/payment-requests/status?idempotencyKey=interrupted&wait=60');
      // the payment failed, because the terminal was killed together with the gateway
      expect(await ended.json()).toMatchObject({ response: { result: 'failure' } });
      expect(await (await after.pay('paid')).text()).toBe(answer);

      const held = after.pay('held');
      await after.until('presentCard');
      await postgres.kill();
      // The gateway may not have noticed yet that its connections are lost. A gateway that has not noticed this yet and
      // tries to store a payment holds the payment's request and looks the payment up later.
      const readPaid = () => after.call('GET', '/payment-requests/status?idempotencyKey=paid');
      await expect.poll(async () => (await readPaid()).status).toBe(503);
      expect((await fetch(after.health)).status).toBe(503);
      const refused = await after.pay('refused', 1);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      await postgres.run();
      await after.tap();
      expect([(await held).status, (await after.call('GET', '/terminals')).status]).toEqual([200, 200]);
      expect(await (await fetch(after.health)).json()).toEqual({ status: 'ok' });
      const books = await after.control('GET', '/books');
      expect(await books.json()).toMatchObject({ agree: true, open: 0 });

      const journal = await (await after.control('GET', '/journal')).text();
      const stopped = await second.stop();
      expect(stopped.code).toBe(0);
      const warned = stopped.stderr.split('\n').filter((line) => line.includes('"level":40'));
      const outage = warned.filter((line) => / database .*(cannot be used|is reachable again)/.test(line));
      expect(outage).toEqual([
        expect.stringMatching(/ cannot be used \(\S/),
        expect.stringContaining(' is reachable again'),
      ]);
      expect(stopped.stderr).not.toContain('\\n    at '); // the log has no stack trace for any request
      const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
      for (const text of [killed.stderr, stopped.stdout, stopped.stderr, journal, ...written])
        expect(text).not.toContain(password);
      expect(readdirSync(folder)).not.toContain('pinpad.sqlite');
    },
  );

  testInCi(
    'makes everything once if gateways start at once with one configuration, whatever their folders are',
    async () => {
      const url = await (await server()).newUrl();
      const started = [1, 2, 3].map(() => start(url, folderOfTest()));
      const [first, ...others] = await Promise.all(started.map((each) => each.ready()));
      const { token, controlToken, terminals, contacts, bankAccounts } = first as ReadyPinpad;
      for (const other of others)
        expect(other).toMatchObject({ token, controlToken, terminals, contacts, bankAccounts });
      const stores = await client(first as ReadyPinpad).control('GET', '/stores');
      expect(await stores.json()).toHaveLength(1);
      expect(await Promise.all(started.map(async (each) => (await each.stop()).code))).toEqual([0, 0, 0]);
    },
  );

  testInCi('refuses a second gateway in the folder until the first has ended', async () => {
    const [url, folder] = [await (await server()).newUrl(), folderOfTest()];
    const gateway = () => startAs(['gateway'], url, folder);
    const first = gateway();
    await first.ready();
    const { code, stderr } = await refused(url, folder);
    expect([code, stderr]).toEqual([
      2,
      `pinpad: another gateway uses ${folder}: give each gateway a folder of its own (--data)\n`,
    ]);
    expect((await first.stop()).code).toBe(0);
    await gateway().ready();
  });

  testInCi(
    'refuses a configuration that differs from that of the data, and stores nothing of it',
    async () => {
      const [url, folder] = [await (await server()).newUrl(), folderOfTest()];
      const file = join(folder, 'pinpad.yaml');
      writeFileSync(
        file,
        'accounts: [{ name: Corner, stores: [{ name: Corner, terminals: [{ poiId: V400m-100000001 }] }] }]',
      );
      const first = startAs(['gateway', '--config', file], url, folder);
      const ready = await first.ready();
      const { code, stderr } = await refused(url, folderOfTest());
      expect([code, stderr]).toEqual([
        2,
        'pinpad: Demo Shop: in the stored data the terminal V400m-100000001 belongs to corner: start with the configuration of that data (--config), or use another data folder\n',
      ]);
      const accounts = await client(ready).control('GET', '/accounts');
      expect(await accounts.json()).toMatchObject([{ id: 'corner' }]);
    },
  );

  testInCi('cannot crash a gateway within its process (B283)', async () => {
    const ready = await startAs(['gateway'], await (await server()).newUrl(), folderOfTest()).ready();
    const crash = await client(ready).control('PUT', '/moments/before.reply', { action: 'crash' });
    expect(crash.status).toBe(409);
    expect(await crash.json()).toMatchObject({ message: expect.stringContaining('with PostgreSQL') });
  });

  testInCi('says where its data are, and how terminals connect past a balancer', async () => {
    const postgres = await server();
    const url = await postgres.newUrl();
    const args = ['gateway', '--port', '0', '--data', folderOfTest(), '--log-level', 'info'];
    const gateway = new PinpadProcess(args, { PINPAD_DATABASE: url });
    onTestFinished(() => void gateway.child.kill('SIGKILL'));
    const printed = await gateway.printed('Ctrl-C stops');
    const where = `database 127.0.0.1:${postgres.port}${new URL(url).pathname} · no NATS · gateway `;
    expect(printed.split('\n')[1]).toContain(where);
    expect(printed).toContain('pinpad terminal --gateway ADDRESS');
    expect(await gateway.logged('gateway.joined')).toContain(where);
  });

  test('refuses what is impossible in one line, without the secrets of the address', async () => {
    const postgres = await server();
    const url = await postgres.newUrl();
    const place = `127.0.0.1:${postgres.port}${new URL(url).pathname}`;
    const foreign = await postgres.newUrl();
    await postgres.sql('create table theirs ()', foreign);
    const refusals = [
      await refused(url, folderOfTest(), '--clock', 'virtual'),
      await refused(url, folderOfTest(), '--clock', 'skipping'),
      await runPinpadInProcess(['gateway', '--memory'], { PINPAD_DATABASE: url }),
      await refused(url, folderOfTest(), '--seed', '1'),
      await refused(url.replace(password, 'another'), folderOfTest()),
      await refused(url.replace('postgres:', 'mysql:'), folderOfTest()),
      await refused(foreign, folderOfTest()),
      await refused(`${url}?sslmode=require`, folderOfTest()),
    ];
    expect(refusals.map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, 'pinpad: a virtual clock does not work with PostgreSQL: leave out --clock or --database\n'],
      [2, 'pinpad: a virtual clock does not work with PostgreSQL: leave out --clock or --database\n'],
      [2, 'pinpad: the settings "memory" and "database" exclude each other: leave out one of them\n'],
      [
        2,
        'pinpad: with a seed, all gateways of a database would make the same references and keys: leave out either seed or database\n',
      ],
      [2, `pinpad: cannot use the database ${place}: password authentication failed for user "pinpad"\n`],
      [
        2,
        'pinpad: database: must be an address such as postgres://user@host/database; special characters of a password are written as %XX\n',
      ],
      [
        2,
        `pinpad: cannot use the database ${place.replace(/\/.*/, new URL(foreign).pathname)}: the database has tables that do not belong to pinpad (theirs): give pinpad a database of its own\n`,
      ],
      [2, `pinpad: cannot use the database ${place}: The server does not support SSL connections\n`],
    ]);
  });
});

/** The requests of a point of sale, and what a shopper does at the first terminal. */
function client({ url, token, controlToken, terminals }: ReadyPinpad) {
  const send = (method: string, path: string, bearer: string, body?: object, key?: string) =>
    fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
    });
  const control = (method: string, path: string, body?: object) =>
    send(method, `/control${path}`, controlToken, body);
  const terminal = terminals[0]?.poiId;
  const sale = { paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } };
  return {
    control,
    health: `${url}/health`,
    call: (method: string, path: string) => send(method, path, token),
    pay: (key: string, at = 0) =>
      send('POST', `/terminals/${terminals[at]?.identifier}/payment-request`, token, sale, key),
    until: (state: string) => control('GET', `/terminals/${terminal}/screen?until=${state}`),
    tap: () => control('POST', `/terminals/${terminal}/tap`, { card: 'visa-credit' }),
  };
}
