import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pinpadCommand } from '../built-package.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { bash } from '../run-bash.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/** Runs the command line as its users do: with real processes, signals and exit codes. */

let folder: string;
const running: PinpadProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-cli-'));
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function pinpad(args: string[], env?: Record<string, string>): PinpadProcess {
  const started = new PinpadProcess(args, env);
  running.push(started);
  return started;
}

const up = (...more: string[]) =>
  pinpad(['up', '--json', '--port', '0', '--data', join(folder, 'data'), ...more]);

function pay(
  { url, token, terminals }: ReadyPinpad,
  requestedAmount: number,
  headers: Record<string, string> = {},
) {
  return fetch(`${url}/terminals/${terminals[0]?.identifier}/payment-request`, {
    method: 'POST',
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount } } }),
  });
}

const control = (
  { url, controlToken }: Pick<ReadyPinpad, 'url' | 'controlToken'>,
  method: string,
  path: string,
  body?: unknown,
) =>
  fetch(`${url}/control${path}`, {
    method,
    headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

testInCi('tokens, terminals and outcomes survive a restart, and no secret is in the database', async () => {
  const first = up('--auto', 'visa-credit', '--pacing', 'instant');
  const before = await first.ready();
  const answered = (await (await pay(before, 5, { 'idempotency-key': 'k1' })).json()) as {
    identifier: string;
  };
  expect(await first.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  const second = up('--auto', 'visa-credit', '--pacing', 'instant');
  const after = await second.ready();
  expect(after.token).toBe(before.token);
  expect(after.terminals).toEqual(before.terminals);
  const again = (await (await pay(after, 5, { 'idempotency-key': 'k1' })).json()) as { identifier: string };
  expect(again).toEqual(answered);
  expect(await second.stop('SIGHUP')).toMatchObject({ code: 0, stderr: '' });
  const database = readFileSync(join(folder, 'data/pinpad.sqlite')).toString('latin1');
  expect(database).not.toContain(before.token);
  expect(database).not.toContain(before.terminals[0]?.deviceKey);
});

test('stopping answers a held payment with 303 and finishes within 5 s', async () => {
  const process = up();
  const ready = await process.ready();
  const held = pay(ready, 9);
  await control(
    ready,
    'GET',
    `/terminals/${ready.terminals[0]?.poiId}/screen?until=presentCard&timeoutMs=5000`,
  );
  const ended = process.stop();
  const answer = await held;
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toMatch(/^\/payment-requests\/status\?transactionId=/);
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

testWith('mkfifo')(
  'Ctrl-C while it still starts ends it with exit code 0, and it shows nothing',
  async () => {
    const config = join(folder, 'config.yaml');
    execFileSync('mkfifo', [config]);
    const process = pinpad(['up', '--json', '--config', config]);
    const writing = await open(config, 'w'); // waits until the command opens the file to read it
    const ended = process.stop();
    await writing.writeFile('port: 0\nmemory: true\n');
    await writing.close();
    expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' });
  },
);

testWith('bash', 'curl')('what it prints headless can be pasted as it is', async () => {
  const process = pinpad(['up', '--headless', '--port', '0', '--memory', '--pacing', 'instant']);
  const printed = await process.printed('Ctrl-C stops.');
  const [, url = ''] = /ready at (\S+)/.exec(printed) ?? [];
  const [, controlToken = ''] = /control token +(\S+)/.exec(printed) ?? [];
  const [payment = '', tap = '', charge = ''] = printed.split('\n\n').filter((part) => /^ +curl/.test(part));
  const paste = (lines: string) => bash(lines, {}, folder);
  const paid = paste(payment);
  await control({ url, controlToken }, 'GET', '/terminals/V400m-100000001/screen?until=presentCard');
  expect((await paste(tap)).code).toBe(0);
  expect((await paid).output).toContain('"result":"success"');
  expect((await paste(charge)).output).toContain('"transaction_state":"paid"');
  expect((await process.stop()).code).toBe(0);
});

testWith('bash', 'curl')("a payment in Adyen's API can be pasted, too, where it is spoken", async () => {
  const options = ['--headless', '--port', '0', '--memory', '--pacing', 'instant'];
  const process = pinpad(['up', ...options, '--as', 'adyen', '--auto', 'visa-credit']);
  const printed = await process.printed('Ctrl-C stops.');
  const [, payment = ''] = printed.split('\n\n').filter((part) => /^ +curl/.test(part));
  expect((await bash(payment, {}, folder)).output).toContain('"Result":"Success"');
  expect((await process.stop()).code).toBe(0);
});

testInCi('the headless output says how other commands find the gateway', async () => {
  const link = (printed: string) => /"(pinpad console.*)" prints another link/.exec(printed)?.[1];
  const data = join(folder, 'data');
  const keeps = pinpad(['up', '--headless', '--port', '0', '--data', data]);
  expect(link(await keeps.printed('Ctrl-C stops.'))).toBe(`pinpad console --data ${data}`);
  const forgets = pinpad(['up', '--headless', '--port', '0', '--memory']);
  const printed = await forgets.printed('Ctrl-C stops.');
  const [, url] = /ready at (\S+)/.exec(printed) ?? [];
  expect(link(printed)).toBe(`pinpad console --url ${url} --control-token …`);
  const alone = pinpad(['gateway', '--port', '0', '--data', join(folder, 'alone')]);
  expect(await alone.printed('Ctrl-C stops.')).toContain(`"pinpad terminal --data ${join(folder, 'alone')}"`);
});

testInCi(
  'the command pay is a careful POS even if a signal aborts its payment: lint finds nothing',
  async () => {
    const process = up('--pacing', 'instant');
    await process.ready();
    const data = ['--data', join(folder, 'data')];
    for (const signal of sampleCases(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 3)) {
      const paying = pinpad(['pay', '5', '--tip', ...data]);
      await paying.logged('No tip');
      expect(await paying.stop(signal)).toMatchObject({ code: 1 });
    }
    expect(await runPinpadInProcess(['lint', ...data])).toMatchObject({ code: 0 });
    await process.stop();
  },
);

describe('at a running gateway', () => {
  let data: string;
  let gateway: PinpadProcess;
  let ready: ReadyPinpad;
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'pinpad-cli-shared-'));
    gateway = new PinpadProcess([
      ...['up', '--json', '--port', '0', '--data', data],
      ...['--auto', 'visa-credit', '--pacing', 'instant'],
    ]);
    ready = await gateway.ready();
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test('the JSON line names a saved card and what it is charged for', async () => {
    const { url, token, contacts, bankAccounts } = ready;
    const [contact] = contacts;
    const charge = await fetch(
      `${url}/contact/${contact?.id}/creditCards/${contact?.creditCards[0]}/charge`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 3, to_bank_account_id: bankAccounts[0]?.id, statement: 'ONE' }),
      },
    );
    expect(await charge.json()).toMatchObject({ transaction_state: 'paid' });
  });

  test('pay finds the gateway of the data folder and prints the receipt', async () => {
    const approved = await pinpad(['pay', '12,50', '--data', data]).ended();
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stdout).toMatch(/^APPROVED EUR 12\.50 · visa 411111 \*{4} 1111/);
    expect(approved.stdout).toContain('CARDHOLDER COPY');
    expect(approved.stderr).toMatch(/^ {2}Present card {2}€12\.50/m);
    expect(approved.stderr).toContain('key in number');
    const declined = await runPinpadInProcess(['pay', '1.24', '--data', data]);
    expect(declined).toMatchObject({ code: 1 });
    expect(declined.stdout).toContain('NOT APPROVED: refusal · Not enough balance (210)');
  });

  test('a payment that is refused is not reported as sent', async () => {
    const { code, stdout, stderr } = await runPinpadInProcess(['pay', '1.234', '--data', data]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/sent/);
    expect(stderr).toMatch(/^pinpad: 400 invalidAmount: .*more decimals than EUR has$/m);
  });

  testInCi('a terminal whose key the gateway refuses says so', async () => {
    const key = ['--poi', 'V400m-100000001', '--key', 'dev_another'];
    const terminal = pinpad(['terminal', '--gateway', ready.url, ...key, '--memory']);
    expect(await terminal.logged('the gateway refused the device key')).toContain('V400m-100000001');
    await terminal.stop();
  });

  testInCi(
    'a terminal at a gateway whose time moves by itself says so, and not that its key is refused',
    async () => {
      const gateway = pinpad(['gateway', '--json', '--port', '0', '--memory', '--clock', 'skipping']);
      const { url, terminals } = await gateway.ready();
      const { poiId = '', deviceKey = '' } = terminals[0] ?? {};
      const terminal = pinpad(['terminal', '--gateway', url, '--poi', poiId, '--key', deviceKey, '--memory']);
      expect(await terminal.logged('the gateway has a virtual clock')).not.toContain('device key');
      await Promise.all([terminal.stop(), gateway.stop()]);
    },
  );

  test('a terminal whose key is elsewhere says which folder was searched, and what to give', async () => {
    const other = join(folder, 'other');
    const { code, stderr } = await runPinpadInProcess(['terminal', '--gateway', ready.url, '--data', other]);
    expect([code, stderr]).toEqual([
      2,
      `pinpad: the device keys of the configured terminals are not in ${other}: use --data with the folder of a gateway that runs here, or use --poi and --key, or --count and --control-token\n`,
    ]);
  });

  test('terminals can be provisioned by number', async () => {
    const many = pinpad([
      'terminal',
      '--json',
      '--memory',
      '--gateway',
      ready.url,
      '--count',
      '3',
      '--control-token',
      ready.controlToken,
    ]);
    const { terminals } = (await many.ready()) as ReadyPinpad;
    expect(terminals.map(({ poiId }) => poiId)).toEqual([
      'V400m-200000001',
      'V400m-200000002',
      'V400m-200000003',
    ]);
    await many.stop();
  });
});

test('gateway and terminal run as two processes', async () => {
  const gateway = pinpad(['gateway', '--json', '--port', '0', '--data', join(folder, 'data')]);
  const ready = await gateway.ready();
  const terminals = pinpad([
    'terminal',
    '--json',
    '--data',
    join(folder, 'data'),
    '--auto',
    'visa-credit',
    '--pacing',
    'instant',
  ]);
  await terminals.ready();
  expect(await (await pay(ready, 3)).json()).toMatchObject({ response: { result: 'success' } });
  expect((await terminals.stop()).code).toBe(0);
  expect((await gateway.stop()).code).toBe(0);
});

test('the command openapi prints the document', async () => {
  const { code, stdout } = await pinpad(['openapi']).ended();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0' });
});

test('a file that cannot be written is reported in one line, with exit code 2', async () => {
  const { code, stderr } = await runPinpadInProcess(['openapi', '-o', join(folder, 'none/openapi.json')]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^pinpad: cannot write the document: .*\n$/);
});

test.runIf(existsSync('/dev/full'))('output that cannot be written is reported in one line', async () => {
  const { code, output } = await bash(
    'exec "$NODE" "$COMMAND" --help > /dev/full',
    { NODE: process.execPath, COMMAND: pinpadCommand() },
    folder,
  );
  expect(code).toBe(1);
  expect(output.split('\n').filter((line) => !line.startsWith('+'))).toEqual([
    expect.stringMatching(/^pinpad: cannot write to standard output: ENOSPC/),
    '',
  ]);
});

test('a port in use is reported in one line, with exit code 2', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const { code, stderr, stdout } = await pinpad(['up', '--json', '--memory', '--port', String(port)]).ended();
  server.close();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^pinpad: .*${port}.*\\n$`));
});

test('a read-only folder is reported in one line, with exit code 2', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const args = ['up', '--json', '--port', '0', '--data', join(file, 'below')];
  const { code, stderr } = await runPinpadInProcess(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^pinpad: .*a-file\/below.*\n$/);
});

test('a bad configuration is reported by file and line, with exit code 2', async () => {
  const file = join(folder, 'pinpad.yaml');
  writeFileSync(file, 'port: 0\nclock: fast\n');
  const { code, stderr } = await runPinpadInProcess(['up', '--json', '--memory', '--config', file]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/pinpad\.yaml:2: clock: /);
});

test('options can be given as environment variables, and an empty variable is ignored', async () => {
  const process = pinpad(['up'], {
    PINPAD_JSON: '1',
    PINPAD_PORT: '0',
    PINPAD_MEMORY: '1',
    PINPAD_CLOCK: 'virtual',
    PINPAD_SEED: '7',
    PINPAD_DATABASE: '',
    PINPAD_NATS: '',
  });
  expect(await process.ready()).toMatchObject({ clock: 'virtual' });
  await process.stop();
});

test('a missing command is reported with exit code 2 and the list of commands', async () => {
  const { code, stderr } = await pinpad([]).ended();
  expect(code).toBe(2);
  expect(stderr).toMatch(/pinpad up/);
});

test.each([
  ['an unknown command', ['dance']],
  ['an unknown option', ['up', '--fast']],
  ['a port that is none', ['up', '--port', '70000']],
  ['an amount that is none', ['pay', 'twelve']],
  ['an amount with a comma that may be for thousands', ['pay', '1,250']],
  ['a way in that does not exist', ['pay', '1', '--entry', 'chip']],
  ['a control token that is too short', ['up', '--memory', '--control-token', 'x']],
  ['an address that is none', ['pay', '12.50', '--url', 'here', '--token', 'test_token']],
])('%s is reported with exit code 2 and a pointer to the help', async (_what, args) => {
  const { code, stderr } = await runPinpadInProcess(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/pinpad/);
});

test('an invalid amount is reported once, in words (B261)', async () => {
  const { code, stderr } = await runPinpadInProcess(['pay', 'twelve']);
  expect(code).toBe(2);
  expect(stderr.trim()).toBe('pinpad: twelve is not an amount such as 12.30');
});

test.each([
  [
    'pinpad up',
    ['up', '--memory', '--data', 'kept'],
    '--memory stores nothing: leave out either --memory or --data',
  ],
  [
    'pinpad gateway',
    ['gateway', '--memory', '--data', 'kept'],
    '--memory stores nothing: leave out either --memory or --data',
  ],
  ...['--url=http://127.0.0.1:1', '--data=kept', '--control-token=control_any'].map(
    (option): [string, string[], string] => [
      `pinpad lint with ${option}`,
      ['lint', 'journal.json', option],
      '--url, --data and --control-token name a running gateway: leave out either these or the file',
    ],
  ),
])('contradictory options are refused, and none is silently ignored: %s', async (_what, args, line) => {
  expect(await runPinpadInProcess(args)).toMatchObject({ code: 2, stdout: '', stderr: `pinpad: ${line}\n` });
});

test('a data folder in the environment gives way to --memory', async () => {
  const kept = join(folder, 'kept');
  const gateway = pinpad(['gateway', '--json', '--port', '0', '--memory'], { PINPAD_DATA: kept });
  await gateway.ready();
  expect(existsSync(kept)).toBe(false);
});

test('pay without a gateway says how to start one', async () => {
  const { code, stderr } = await runPinpadInProcess(['pay', '1', '--data', join(folder, 'none')]);
  expect(code).toBe(2);
  expect(stderr).toContain('start one with "pinpad up"');
});
