import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { type SkippingStack, skippingStack, waitUntilIdle } from './skipping-stack.ts';

/** Adds a webhook whose receiver does not exist, and an event that waits to be sent to it. */
async function failingWebhook(skipping: SkippingStack): Promise<void> {
  const { stack } = skipping;
  const accountId = stack.tokens[0]?.account;
  const webhook = { accountId, url: 'http://127.0.0.1:1/events' };
  expect(await skipping.control('POST', '/webhooks', webhook)).toMatchObject({ status: 201 });
  const contact = stack.contacts.find(({ creditCards }) => creditCards.length > 0);
  const path = `/contact/${contact?.id}/creditCards/${contact?.creditCards[0]}/charge`;
  const bank = stack.bankAccounts.find(({ account }) => account === contact?.account);
  const charge = { amount: 25.5, to_bank_account_id: bank?.id, statement: 'ORDER 1001' };
  expect(await skipping.pos('POST', path, charge)).toMatchObject({ status: 200 });
}

/** Opens a stream of the journal, and a connection of a point of sale that sends nothing. */
function openConnections({ stack }: SkippingStack): void {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${stack.controlToken}` };
  void fetch(`${stack.url}/control/journal/stream`, { headers, signal: leaving.signal }).catch(() => {});
  const idle = connect(Number(new URL(stack.url).port), '127.0.0.1');
  idle.on('error', () => {});
  onTestFinished(() => {
    leaving.abort();
    idle.destroy();
  });
}

test.for([
  [0, 0],
  [60_000, 60_000],
] as const)(
  'with a settleMs of %i, an hour of real time moves time by no more than that (B270, B275)',
  async ([settleMs, mostMs]) => {
    const realClock = new VirtualClock({ startMs: Date.UTC(2026, 6, 1) });
    const skipping = await skippingStack({ skipping: { patienceMs: 50, settleMs } }, realClock);
    await failingWebhook(skipping);
    openConnections(skipping);
    await waitUntilIdle();
    await skipping.real(3_600_000, 30_000);
    expect(skipping.passedMs).toBeLessThanOrEqual(mostMs);
    const attempts = skipping.journal().filter(({ kind }) => kind === 'webhook.attempted');
    expect(attempts.length).toBe(settleMs === 0 ? 1 : 2);
  },
);

test('a wait takes exactly its time limit, however often the webhook fails meanwhile (B270)', async () => {
  const skipping = await skippingStack();
  await failingWebhook(skipping);
  openConnections(skipping);
  await skipping.control('POST', '/clock/wait', { ms: 400_000 });
  expect(skipping.passedMs).toBe(400_000);
});
