import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

let stack: Stack;
beforeAll(async () => {
  const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;
  stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, pacing: 'instant', shopper }));
}, 60_000);
afterAll(() => stack.close());

const attached = () => ['--url', stack.url, '--control-token', stack.controlToken];
const refund = (...args: string[]) => runPinpadInProcess(['refund', ...args, ...attached()]);

async function paid(amount: string): Promise<string> {
  const token = stack.tokens[0]?.token ?? '';
  const { stdout } = await runPinpadInProcess([
    'pay',
    amount,
    '--json',
    '--url',
    stack.url,
    '--token',
    token,
  ]);
  return (JSON.parse(stdout) as { identifier: string }).identifier;
}

test('the command refund gives a payment back, in parts, and prints the receipt (B505)', async () => {
  const payment = await paid('12.50');
  const part = await refund('10', '--payment', payment, '--key', 'once');
  expect(part).toMatchObject({ code: 0, stderr: expect.stringContaining('with the key once\n') });
  expect(part.stdout).toMatch(new RegExp(`^GIVEN BACK EUR 10\\.00 · of ${payment} · \\S+\\n\\s+\\S`));
  expect(part.stdout).toContain('CARDHOLDER COPY');
  const again = await refund('10', '--payment', payment, '--key', 'once');
  expect(again.stdout).toBe(part.stdout);
  const rest = await refund('--payment', payment, '--json');
  expect(JSON.parse(rest.stdout)).toMatchObject({ kind: 'reversal', original: payment, total: 2.5 });
  const none = await refund('--payment', payment);
  expect(none).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('409 alreadyGivenBack'),
  });
}, 60_000);

test('the command refund gives an amount to a card, and shows what the terminal shows (B505)', async () => {
  const given = await refund('7,50', '--no-receipt');
  expect(given).toMatchObject({ code: 0, stderr: expect.stringMatching(/^ {2}Present card {2}€7\.50/m) });
  expect(given.stdout).toMatch(/^GIVEN BACK EUR 7\.50 · to the card · \S+\n$/);
}, 60_000);

test('the command refund ends with 1 if it is not approved, and with 2 if it is not carried out (B505)', async () => {
  const declined = await refund('1.24');
  expect(declined).toMatchObject({ code: 1, stdout: expect.stringMatching(/^NOT GIVEN BACK: refusal · /) });
  for (const [args, said] of [
    [[], 'pinpad: give an amount, or use --payment to name the payment\n'],
    [['1.234'], '400 invalidAmount'],
    [['0'], 'must be more than 0'],
    [['--payment', crypto.randomUUID()], 'does not exist'],
    [['5', '--terminal', 'V400m-9'], '404 terminalNotFound'],
  ] as const)
    expect(await refund(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(said),
    });
}, 60_000);

testInCi(
  'Ctrl-C presses the red key, so that no terminal waits for a card that never comes (B505)',
  async () => {
    const headers = { authorization: `Bearer ${stack.controlToken}` };
    const terminal = stack.terminals[1]?.poiId ?? '';
    const shopper = `${stack.url}/control/terminals/${terminal}/shopper`;
    expect((await fetch(shopper, { method: 'DELETE', headers })).status).toBe(200);
    const waiting = new PinpadProcess(['refund', '5', '--terminal', terminal, ...attached()]);
    await waiting.logged('Present card');
    expect(await waiting.stop('SIGINT')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^NOT GIVEN BACK: cancel · /),
    });
  },
  60_000,
);
