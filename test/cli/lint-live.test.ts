import { expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess } from './pinpad-process.ts';

const testInCi = testThoroughly();

/**
 * Runs `pinpad up` with a point of sale that sends no idempotency key, and waits until this point of sale has made
 * `payments` payments.
 */
async function upWithoutKeys(mode: string, payments: number, ...more: string[]) {
  const up = new PinpadProcess([
    'up',
    '--json',
    '--port',
    '0',
    '--memory',
    '--auto',
    'visa-credit',
    '--lint',
    mode,
    '--pacing',
    'instant',
    ...more,
  ]);
  onTestFinished(() => void up.child.kill('SIGKILL'));
  const { url, token, terminals } = await up.ready();
  for (let count = 1; count <= payments; count++) {
    const { status } = await fetch(`${url}/terminals/${terminals[0]?.identifier}/payment-request`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: count } } }),
    });
    expect(status).toBe(200);
  }
  const { code, stderr } = await up.stop();
  const lines = stderr.split('\n').filter((line) => line.includes('"msg":"finding"'));
  return { code, stderr, lines: lines.map((line) => JSON.parse(line)) };
}

test('up ends with 1 if lint is an error and there are findings, and the log says it once (B255)', async () => {
  const { code, lines } = await upWithoutKeys('error', 3);
  expect(code).toBe(1);
  expect(lines).toMatchObject([
    {
      level: 40,
      rule: 'missing-key',
      link: 'docs/lint.md#missing-key',
      fix: 'send an Idempotency-Key with every payment request',
    },
  ]);
});

test('up ends with 0 if lint is a warning, or there are no findings', async () => {
  const [warned, none] = await Promise.all([upWithoutKeys('warning', 1), upWithoutKeys('error', 0)]);
  expect([warned.code, warned.lines.length]).toEqual([0, 1]);
  expect([none.code, none.lines.length]).toEqual([0, 0]);
});

testInCi('up does not mention lint if it is off', async () => {
  expect(await upWithoutKeys('off', 1)).toMatchObject({ code: 0, lines: [] });
});

testInCi('if the log is silent, as beside the screen, up says at its end why it ends with 1', async () => {
  const { code, stderr } = await upWithoutKeys('error', 1, '--log-level', 'silent');
  expect([code, stderr]).toEqual([1, expect.stringContaining('missing-key (1, warning)')]);
});
