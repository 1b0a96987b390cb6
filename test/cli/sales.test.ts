import { afterAll, beforeAll, expect, test } from 'vitest';
import { controlClientOf, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

let stack: Stack;
beforeAll(async () => {
  const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;
  stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, pacing: 'instant', shopper }));
}, 60_000);
afterAll(() => stack.close());

const attached = () => ['--url', stack.url, '--control-token', stack.controlToken];

async function pay(key: string, requestedAmount: number): Promise<string> {
  const response = await fetch(`${stack.url}/terminals/${stack.terminals[0]?.identifier}/payment-request`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.tokens[0]?.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount } } }),
  });
  return ((await response.json()) as { identifier: string }).identifier;
}

test('sales shows a line for each sale, and a single sale with its requests', async () => {
  const identifier = await pay('order-1', 12.5);
  await pay('order-2', -1);
  const { code, stdout } = await runPinpadInProcess(['sales', ...attached()]);
  expect(code).toBe(0);
  const [first, second] = stdout.trim().split('\n');
  expect(first).toMatch(/^\d\d:\d\d:\d\d 12\.50 …01 order-1 POST approved$/);
  expect(second).toMatch(/ order-2 POST 400 refused: 400 invalidAmount ⚠1$/);
  const one = (await runPinpadInProcess(['sales', identifier, ...attached()])).stdout.split('\n');
  expect(one[0]).toBe(first);
  expect(one[1]).toMatch(/POST \/terminals\/\S+\/payment-request {2}200$/);
  const json = (await runPinpadInProcess(['sales', '--json', '--limit', '1', ...attached()])).stdout;
  expect(JSON.parse(json)).toMatchObject({ idempotencyKey: 'order-2', outcome: 'refused' });
  expect((await runPinpadInProcess(['sales', '--untold', ...attached()])).stdout).toBe('');
  const unknown = await runPinpadInProcess(['sales', 'none', ...attached()]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Sale none does not exist') });
}, 60_000);

test('sales --untold skips declined sales, even if many came last', async () => {
  await payUntold('order-charged', 12.5);
  for (const key of ['order-declined-1', 'order-declined-2']) await payUntold(key, 1.24);
  const { stdout } = await runPinpadInProcess(['sales', '--untold', '--limit', '1', ...attached()]);
  expect(stdout).toMatch(/^\S+ 12\.50 …01 order-charged POST lost approved/);
  const all = (await runPinpadInProcess(['sales', '--untold', '--json', ...attached()])).stdout;
  expect(all.trim().split('\n')).toHaveLength(1);
}, 60_000);

/** Makes a payment whose answer gets lost, so the point of sale does not learn the outcome. */
async function payUntold(key: string, amount: number): Promise<void> {
  const path = `/terminals/${stack.terminals[0]?.identifier}/payment-request`;
  await controlClientOf(stack).POST('/control/faults', {
    body: { fault: 'dropAnswer', method: 'POST', path },
  });
  await expect(pay(key, amount)).rejects.toThrow('fetch failed');
}

test("sales --follow shows sales that end, pinpad pay's among them, until it is stopped", async () => {
  const following = new PinpadProcess(['sales', '--follow', '--limit', '1', '--json', ...attached()]);
  await pay('order-3', 3);
  const before = await following.printed('"order-3"');
  const paying = ['pay', '4', '--url', stack.url, '--token', stack.tokens[0]?.token ?? '', '--key', 'mine'];
  await runPinpadInProcess(paying);
  const shown = (await following.printed('"mine"')).slice(before.length).trim().split('\n');
  expect(JSON.parse(shown.at(-1) ?? '')).toMatchObject({ own: 'pay', outcomeText: 'approved', told: 'told' });
  expect((await following.stop()).code).toBe(0);
}, 60_000);
