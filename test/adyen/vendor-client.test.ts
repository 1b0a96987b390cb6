import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigChanges } from '../../stack/index.ts';
import { PinpadProcess } from '../cli/pinpad-process.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly } from '../optional-programs.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';

const testInCi = testThoroughly();

/**
 * Pays at emulated terminals with Adyen's own client for Node. The client is unchanged, because `pinpad as`
 * redirects its connections to the gateway (docs/adyen.md).
 */

const client = join(import.meta.dirname, 'vendor-client.cjs');
const shopper = { card: 'visa-credit', entry: 'Contactless', tip: '1', thinkMs: 0 } as const;

function startTill(does: string, harness: StackHarness): PinpadProcess {
  const { gateway, tokens, terminals } = harness.stack;
  return new PinpadProcess(['as', 'adyen', '--url', gateway.url, '--', process.execPath, client, does], {
    ADYEN_API_KEY: tokens[0]?.token ?? '',
    TILL_POIID: terminals[0]?.poiId ?? '',
  });
}

/** Returns the last line that the client printed. */
async function saidBy(running: PinpadProcess): Promise<unknown> {
  const { code, stdout, stderr } = await running.ended();
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const till = (does: string, harness: StackHarness) => saidBy(startTill(does, harness));

const start = (more: ConfigChanges = {}) =>
  stackHarness({ adyen: true, clock: 'skipping', shopper, ...more });

const tills: [string, unknown][] = [
  ['pay', ['Success', 12.5, 2]],
  ['decline', ['Failure', 'Refusal', 0]],
  ['tip', true],
  ['status', ['4', 2, 'NotFound']],
  ['giveBack', [10, 10, 'NotAllowed', 15, 'NotAllowed', 'Refund', 5]],
  ['device', [true, 'ONLINE', 'Success', 403]],
];

/**
 * Each test starts two processes that take half a second each: `pinpad as` and the client. So `npm test` runs only one
 * of these tests.
 */
test.each(sampleCases(tills, 6))('%s', async (does, came) => {
  expect(await till(does, await start())).toEqual(came);
});

testInCi('abort', async () => {
  const harness = await stackHarness({ adyen: true });
  expect(await till('abort', harness)).toEqual([{}, 'Aborted']);
});

testInCi('a request that is sent again after its connection broke is one payment', async () => {
  const harness = await start();
  const set = await harness.control('POST', '/faults', { fault: 'dropAnswer', asks: 'payment' });
  expect(set.status).toBe(201);
  expect(await till('again', harness)).toEqual(['ApiException', 'Success']);
  expect(harness.journal().filter(({ kind }) => kind === 'payment.accepted')).toHaveLength(1);
});

testInCi(
  "results of /async can be read by the client's own types, which have all of them (B460)",
  async () => {
    const harness = await start();
    const running = startTill('events', harness);
    const url = (await running.printed('\n')).trim();
    const hook = { accountId: 'demo-shop', url, types: ['adyen.results'] };
    expect(await harness.control('POST', '/webhooks', hook)).toMatchObject({ status: 201 });
    running.type('the address is set');
    expect(await saidBy(running)).toEqual([
      ...['ok', ['Success', null, 2, '27908', true]],
      ...['ok', ['Failure', 'Refusal', 0, null, true]],
    ]);
    await harness.settled();
    expect(harness.journal().filter(({ kind }) => kind === 'webhook.attempted')).toMatchObject([
      { data: { status: 200, answer: '[accepted]' } },
      { data: { status: 200, answer: '[accepted]' } },
    ]);
  },
);

testInCi('a message that /async rejects at once is an event to the client', async () => {
  const harness = await start();
  await harness.act('power', { on: false });
  const rejected = ['Reject', 'Terminal is not reachable'];
  expect(await till('rejected', harness)).toEqual([rejected, rejected]);
});
