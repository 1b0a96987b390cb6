import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

let folder: string;
let gateway: PinpadProcess;
let ready: ReadyPinpad;
const running: PinpadProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-cli-events-'));
  gateway = new PinpadProcess(['gateway', '--port', '0', '--data', folder, '--json']);
  ready = await gateway.ready();
}, 60_000);
afterAll(async () => {
  for (const each of running) if (each.child.exitCode === null) await each.stop();
  await gateway.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

const run = (...args: string[]) => {
  const process = new PinpadProcess([...args, '--data', folder]);
  running.push(process);
  return process;
};

const here = (...args: string[]) => runPinpadInProcess([...args, '--data', folder]);

test('listen shows the events that trigger causes, and forwards them signed', async () => {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  let arrived = () => {};
  const all = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.writeHead(204).end();
      if (body.includes('payments.refunds.failed')) arrived();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const listen = run('listen', '--forward-to', `http://127.0.0.1:${port}/hook`);
  const secret = /signed with (whsec_\S+)/.exec(await listen.logged('Listening'))?.[1] ?? '';
  const trigger = await run('trigger', 'payments.refunds.failed', '--amount', '3').ended();
  expect(trigger.code, trigger.stderr).toBe(0);
  await all;
  const verified = got.map(({ body, headers }) => new Webhook(secret).verify(body, headers as never));
  expect(verified).toMatchObject([
    { type: 'payments.debits.completed' },
    { type: 'payments.refunds.created' },
    { type: 'payments.refunds.failed', data: { status: 'failed', amount: '3.00' } },
  ]);
  const { code, stdout } = await listen.stop();
  expect(code).toBe(0);
  expect(stdout).toContain('payments.refunds.created');
  server.close();
}, 60_000);

testInCi(
  'only listen --all shows payments on terminals, with amounts; listen signs with the same secret each time',
  async () => {
    const terminal = run('terminal', '--json', '--auto', 'visa-credit', '--pacing', 'instant');
    await terminal.ready();
    const hook = ['--forward-to', 'http://127.0.0.1:9/hook'];
    const listen = run('listen', '--all', ...hook);
    const withoutAll = run('listen');
    await withoutAll.logged('Listening');
    const secretIn = (log: string) => /signed with (whsec_\S+)/.exec(log)?.[1];
    const secret = secretIn(await listen.logged('Listening'));
    await here('pay', '12.50');
    await here('pay', '1.24');
    await here('trigger', 'payments.debits.completed', '--amount', '3,50');
    const shown = await listen.printed('payments.debits.completed');
    expect(shown).toMatch(/ {2}payment success {2}EUR 12\.50 {2}\S{36} {2}on V400m-100000001: /);
    expect(shown).toMatch(/ {2}payment failure refusal {2}EUR 1\.24 {2}/);
    expect(shown).toMatch(/ {2}payments\.debits\.completed {2}EUR 3\.50 {2}/);
    await listen.stop();
    expect(await withoutAll.printed('payments.debits.completed')).not.toContain('payment success');
    expect(secretIn(await run('listen', ...hook).logged('Listening'))).toBe(secret);
  },
  60_000,
);

test('token makes, lists and revokes tokens of the API', async () => {
  const made = await run('token', 'create', '--label', 'pos 7', '--expires', '2d').ended();
  const token = made.stdout.trim();
  expect(token).toMatch(/^test_[\w-]{43}$/);
  const ask = async () =>
    (await fetch(`${ready.url}/terminals`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask()).toBe(200);
  const line = (await here('token', 'list')).stdout.split('\n').find((each) => each.includes('pos 7'));
  expect(line).toContain('valid until');
  const revoked = await here('token', 'revoke', line?.split('  ')[0] ?? '');
  expect(revoked.stdout).toContain('revoked');
  expect(await ask()).toBe(401);
}, 60_000);

test('errors are reported in one line', async () => {
  const unknown = await here('trigger', 'payments.nothing');
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown event payments.nothing'),
  });
  expect(unknown.stderr.trim().split('\n')).toHaveLength(1);
  expect(await here('listen', '--account', 'nobody')).toMatchObject({
    code: 2,
    stderr: 'pinpad: no account nobody; there are: demo-shop\n',
  });
  expect(await here('listen', '--secret', 'whsec_secret')).toMatchObject({
    code: 2,
    stderr:
      'pinpad: --secret signs the events that --forward-to posts: add --forward-to, or leave out --secret\n',
  });
  expect(await here('token', 'list', '--account', 'nobody')).toMatchObject({
    code: 2,
    stderr: 'pinpad: no account nobody; there are: demo-shop\n',
  });
  expect(await here('token', 'create', '--expires', 'soon')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: .*\n+Try: pinpad token create --help\n$/),
  });
  const elsewhere = await runPinpadInProcess(['token', 'list', '--data', join(folder, 'none')]);
  expect(elsewhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no gateway runs with the data folder'),
  });
}, 60_000);
