import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/**
 * Uses card readers only through the command line: one process emulates the reader, and another one has the terminal.
 */

function pinpad(args: string[], env?: Record<string, string>): PinpadProcess {
  const started = new PinpadProcess(args, env);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

const quick = ['--json', '--pacing', 'instant', '--log-level', 'debug'];

async function payWithTap(ready: ReadyPinpad, emulator: PinpadProcess): Promise<unknown> {
  const [terminal] = ready.terminals;
  const paid = fetch(`${ready.url}/terminals/${terminal?.identifier}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 10 } } }),
  });
  await fetch(`${ready.url}/control/terminals/${terminal?.poiId}/screen?until=presentCard`, {
    headers: { authorization: `Bearer ${ready.controlToken}` },
  });
  emulator.type('tap visa-credit 30000');
  await emulator.printed('tapped visa-credit');
  return (await paid).json();
}

const approved = {
  response: { result: 'success' },
  paymentResult: { paymentInstrumentData: { cardData: { entryMode: ['contactless'] } } },
};

test('reader-emulator prints how to start a terminal, and up pays with the card that is tapped there', async () => {
  const emulator = pinpad(['reader-emulator', 'pn532', '--tcp', '127.0.0.1:0', '--json']);
  const { reader } = JSON.parse(await emulator.printed('\n')) as { reader: string };
  const up = pinpad(['up', '--port', '0', '--memory', ...quick], { PINPAD_READER: reader });
  const ready = await up.ready();
  expect(ready).toMatchObject({ readers: [{ poiId: 'V400m-100000001', reader }] });
  await up.logged('reader.back');
  expect(await payWithTap(ready, emulator)).toMatchObject(approved);
  expect((await up.stop()).code).toBe(0);
  emulator.type('quit');
  expect(await emulator.ended()).toMatchObject({ code: 0, stderr: '' });
});

testInCi('terminals in a separate process have readers too', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-cli-readers-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const emulator = pinpad(['reader-emulator', 'pn532', '--tcp', '0']);
  const reader = (await emulator.printed('\n')).trim().replace('--reader ', '');
  const gateway = pinpad(['gateway', '--port', '0', '--data', data, '--json']);
  const ready = await gateway.ready();
  const terminal = pinpad(['terminal', '--data', data, '--reader', `V400m-100000001=${reader}`, ...quick]);
  await terminal.ready();
  await terminal.logged('reader.back');
  expect(await payWithTap(ready, emulator)).toMatchObject(approved);
  expect((await terminal.stop()).code).toBe(0);
});

test('a reader-emulator ends at the end of its input', async () => {
  const emulator = pinpad(['reader-emulator', 'msr', '--tcp', '0', '--framing', 'magtek']);
  await emulator.printed('--reader msr:tcp://127.0.0.1:');
  emulator.child.stdin?.end('tap visa-credit\n');
  const { code, stdout } = await emulator.ended();
  expect(code).toBe(0);
  expect(stdout).toContain('error: this reader is not contactless: use swipe CARD');
});

test('a reader-emulator reports in one line what it cannot do', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  for (const [args, line] of [
    [
      ['pn532', '--tcp', `${port}`],
      `port ${port} on 127.0.0.1 is taken; choose another port, or 0 for any free port`,
    ],
    [['pn532', '--tcp', '0', '--lrc'], '--lrc is for msr, not for pn532'],
    [['msr', '--tcp', '0', '--echo'], '--echo is for ccid, not for msr'],
    [['msr', '--tcp', '0', '--protocol', 'T=1'], '--protocol is for ccid, not for msr'],
  ] as const)
    expect(await runPinpadInProcess(['reader-emulator', ...args])).toMatchObject({
      code: 2,
      stderr: `pinpad: ${line}\n`,
    });
});

test('a reader-emulator refuses a kind of reader that does not exist', async () => {
  const { code, stderr } = await runPinpadInProcess(['reader-emulator', 'toString', '--tcp', '0']);
  expect(stderr).toContain('must be pn532, ccid or msr');
  expect(code).toBe(2);
});

test('readers prints the ports as JSON', async () => {
  const { code, stdout } = await runPinpadInProcess(['readers', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(expect.objectContaining({ ports: expect.any(Array) }));
});

testInCi('readers probes a named port, and reports what answers as the --reader to start with', async () => {
  const emulator = pinpad(['reader-emulator', 'ccid', '--tcp', '0', '--framing', 'acs']);
  const reader = (await emulator.printed('\n')).trim().replace('--reader ', '');
  const port = reader.replace('ccid:', '').replace('?framing=acs', '');
  const { code, stdout } = await pinpad(['readers', port, '/dev/no-such-port']).ended();
  expect(code).toBe(1);
  expect(stdout).toContain(`answers: --reader ${reader}\n`);
  expect(stdout).toContain('/dev/no-such-port does not exist');
  const { stdout: json } = await runPinpadInProcess(['readers', port, '--json']);
  expect(JSON.parse(json)).toMatchObject({
    ports: [{ path: port, found: 'reader', driver: 'ccid', reader }],
  });
});

test('readers says that a port has to be named without the kind of reader', async () => {
  expect(await runPinpadInProcess(['readers', 'ccid:/dev/x?framing=acs'])).toMatchObject({
    code: 2,
    stderr:
      'pinpad: "ccid:/dev/x?framing=acs": leave out ccid, because the command finds the driver itself: pinpad readers /dev/x\n',
  });
});

const start = ['up', '--json', '--memory', '--port', '0'];

test.each([
  [
    'text that names none',
    [...start, '--reader', 'pn53:/dev/x'],
    /"pn53:\/dev\/x" is not a reader: use auto, pcsc:auto/,
  ],
  [
    'a terminal that does not exist',
    [...start, '--reader', 'X-1=auto'],
    /no terminal X-1 ; known terminals: V400m-/,
  ],
  [
    'a terminal that does not exist, and whose name no terminal could have',
    [...start, '--reader', 'NOPE=auto'],
    /no terminal NOPE ; known terminals: V400m-/,
  ],
  [
    'one port twice',
    [...start, '--reader', 'pn532:/x', '--reader', 'P400-100000002=ccid:/x'],
    /\/x is given to two/,
  ],
  [
    'one PC/SC reader twice',
    [...start, '--reader', 'pcsc:ACR122', '--reader', 'P400-100000002=pcsc:acr122'],
    /pcsc:acr122 is given to two/,
  ],
  ['a virtual clock', [...start, '--clock', 'virtual', '--reader', 'auto'], /needs a real clock/],
  ['a skipping clock', [...start, '--clock', 'skipping', '--reader', 'auto'], /needs a real clock/],
  [
    'a reader that cannot be emulated',
    ['reader-emulator', 'vivotech2', '--tcp', '0'],
    /must be pn532, ccid or msr/,
  ],
  [
    'a port that is none',
    ['readers', 'tcp://nowhere'],
    /is no address of a serial server: write tcp:\/\/HOST:PORT/,
  ],
  ['no line to emulate one at', ['reader-emulator', 'msr'], /one of --pty, --port and --tcp/],
  [
    'a framing of another reader',
    ['reader-emulator', 'ccid', '--tcp', '0', '--framing', 'uic'],
    /gempc, acs/,
  ],
])('%s is refused in one line, with exit code 2', async (_what, args, line) => {
  const { code, stderr } = await runPinpadInProcess(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(line);
});
