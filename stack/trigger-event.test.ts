import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveConfig } from './resolve-config.ts';
import { type Stack, startStack } from './start-stack.ts';
import { triggerableEvents, triggerEvent } from './trigger-event.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual' }), {
    terminals: false,
  });
});
afterAll(() => stack.close());

test.each(triggerableEvents)('the event %s is triggered by its real cause', async (event) => {
  const { resourceId, accountId } = await triggerEvent(stack, event, { amount: 12.5 });
  const [latest] = await stack.gateway.events.list({ limit: 1, resourceId });
  expect(latest).toMatchObject({ type: event, accountId, data: { amount: '12.50' } });
});

test('no token of the trigger is left', async () => {
  const tokens = await stack.gateway.tokens.listTokens('demo-shop');
  const left = tokens.filter(({ label, revokedAt }) => label === 'pinpad trigger' && revokedAt === null);
  expect(left).toEqual([]);
});

test('an amount that is impossible in the currency is refused, and that is said once', async () => {
  await expect(triggerEvent(stack, 'payments.debits.paid', { amount: 1.234 })).rejects.toThrow(
    /: amount must not have more decimals than EUR has$/,
  );
});

test.each([
  ['payments.nothing', undefined, 'unknown event payments.nothing; known events: payments.debits.completed'],
  ['payments.debits.paid', 'nobody', 'no account nobody; there are: demo-shop'],
])('%s of account %s is refused in one line', async (event, accountId, message) => {
  await expect(triggerEvent(stack, event, { amount: 1, accountId })).rejects.toThrow(message);
});

test('a gateway without accounts says so', async () => {
  const config = resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', accounts: [] });
  const empty = await startStack(config, { terminals: false });
  try {
    const triggered = triggerEvent(empty, 'payments.debits.paid', { amount: 1 });
    await expect(triggered).rejects.toThrow('the gateway has no account yet');
  } finally {
    await empty.close();
  }
});
