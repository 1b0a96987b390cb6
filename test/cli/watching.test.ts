import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/** Tests the commands that watch a gateway in another process: trace, lint and record. */

let folder: string;
let data: string[];
const running: PinpadProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-watching-'));
  data = ['--data', join(folder, 'data')];
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function pinpad(...args: string[]): PinpadProcess {
  const started = new PinpadProcess(args);
  running.push(started);
  return started;
}

/** Starts a gateway whose terminals approve everything. */
const up = () =>
  pinpad('up', '--json', '--port', '0', '--pacing', 'instant', '--auto', 'visa-credit', ...data).ready();

async function pay({ url, token, terminals }: ReadyPinpad, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/terminals/${terminals[0]?.identifier}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } }),
  });
  return (await answer.json()) as { identifier: string };
}

testInCi('a recording of a running gateway can be run', async () => {
  const gateway = await up();
  const scenario = join(folder, 'new/recorded.yaml');
  const recording = pinpad('record', scenario, '--name', 'A sale', ...data);
  await recording.printed('Ctrl-C ends');
  await pay(gateway, { 'idempotency-key': 'sale-1' });
  expect(await recording.stop()).toMatchObject({ code: 0 });
  expect(readFileSync(scenario, 'utf8')).toContain('name: A sale');
  expect((await runPinpadInProcess(['run', scenario])).stdout).toContain('1 passed');
  expect((await runPinpadInProcess(['record', scenario, ...data])).stderr).toContain('--force overwrites it');
});

test('a port in use is named as such, even for a page of traces', async () => {
  const gateway = await up();
  const { port } = new URL(gateway.url);
  expect(await runPinpadInProcess(['trace', '--port', port, ...data])).toMatchObject({
    code: 2,
    stderr: `pinpad: port ${port} on 127.0.0.1 is taken; choose another port, or 0 for any free port\n`,
  });
});

testInCi('a trace of one payment is written to a file', async () => {
  const gateway = await up();
  const first = await pay(gateway);
  const second = await pay(gateway);
  const file = join(folder, 'traces/new/trace.html');
  const tracing = pinpad('trace', '--output', file, '--payment', first.identifier, ...data);
  expect(await tracing.ended()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('entries written'),
  });
  const page = readFileSync(file, 'utf8');
  expect(page).toContain(first.identifier);
  expect(page).not.toContain(second.identifier);
  expect(page).not.toContain(gateway.controlToken);
  expect(page).not.toContain(gateway.token);
});

test.each([['trace', '--output'], ['record']])(
  'if %s cannot write its file, it says so before it asks any gateway',
  async (...command) => {
    writeFileSync(join(folder, 'file'), '');
    const output = join(folder, 'file/written');
    const refused = await runPinpadInProcess([...command, output, ...data]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: `pinpad: cannot write ${output}: a part of its path is a file\n`,
    });
  },
);

test('lint reports the mistakes of a POS, and then exits with 1', async () => {
  const gateway = await up();
  await pay(gateway, { 'idempotency-key': 'sale-1' });
  const content = await runPinpadInProcess(['lint', ...data]);
  expect(content).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to complain about') });
  await pay(gateway);
  const complaining = pinpad('lint', ...data);
  await complaining.printed('missing-key (1, warning)');
  expect(await complaining.ended()).toMatchObject({ code: 1 });
});

test('lint reads a journal from a file, and refuses a file that is none', async () => {
  const gateway = await up();
  await pay(gateway);
  const answer = await fetch(`${gateway.url}/control/journal?since=0&limit=1000`, {
    headers: { authorization: `Bearer ${gateway.controlToken}` },
  });
  const text = await answer.text();
  const whole = join(folder, 'journal.json');
  writeFileSync(whole, text);
  expect((await runPinpadInProcess(['lint', whole, '--json'])).stdout).toContain('"rule": "missing-key"');
  const lines = join(folder, 'journal.jsonl');
  const { entries } = JSON.parse(text) as { entries: unknown[] };
  writeFileSync(lines, entries.map((entry) => JSON.stringify(entry)).join('\n'));
  expect((await runPinpadInProcess(['lint', lines])).stdout).toContain('missing-key (1, warning)');
  const none = join(folder, 'none.json');
  writeFileSync(none, '{"a": 1}');
  const refused = await runPinpadInProcess(['lint', none]);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not contain journal entries'),
  });
  expect(existsSync(join(folder, 'data'))).toBe(true);
});
