import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { makeDefaultAddressRules } from './addresses.ts';
import { postWebhookMessage } from './post.ts';
import { Receiver } from './receiver.fixture.ts';

function postTo({ url }: { url: string }, { clock = systemClock, timeoutMs = 10_000, headers = {} } = {}) {
  return postWebhookMessage(
    url,
    { headers: { 'content-type': 'application/json', ...headers }, body: '{}' },
    { rules: makeDefaultAddressRules('127.0.0.1'), clock, timeoutMs, signal: new AbortController().signal },
  );
}

test("a process that stood still until an attempt's time was over does not send it any more", async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  let stoodStillMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + stoodStillMs };
  const attempt = () => postTo(receiver, { clock, timeoutMs: 200 });
  expect(await attempt()).toMatchObject({ status: 204 });
  const posted = attempt();
  stoodStillMs = 200; // the process is paused before the connection is made
  expect(await posted).toMatchObject({
    status: undefined,
    error: 'the receiver did not answer within 200 ms',
  });
  expect(receiver.received).toHaveLength(1);
});

test.each([
  ['a card number', 'paid with 4111 1111 1111 1111', 'paid with 411111 **** 1111'],
  ['Japanese that is cut off', 'ご注文'.repeat(200), 'ご注文'.repeat(111)],
  ['a card number where it is cut off', `${'x'.repeat(990)} 4111111111111111`, 'x'.repeat(990)],
  ['what is no text', 'a\0b\x1b[2J\n\u009bc', 'a\ufffdb\ufffd[2J\n\ufffdc'],
])('of an answer with %s, only the allowed part is kept (B526)', async (_, said, kept) => {
  const receiver = await Receiver.start(() => (response) => void response.writeHead(500).end(said));
  onTestFinished(() => receiver.close());
  expect(await postTo(receiver)).toEqual({ status: 500, error: undefined, answer: kept });
});

test('if an answer breaks off, the digits at its end are not kept, because they may be the start of a card number (B526)', async () => {
  const receiver = await Receiver.start(() => (response) => {
    response.writeHead(500, { 'content-length': 900 });
    response.write('paid with 4111 1111 1111 111', () => response.destroy());
  });
  onTestFinished(() => receiver.close());
  expect(await postTo(receiver)).toEqual({ status: 500, error: undefined, answer: 'paid with' });
});

test('a message that HTTP cannot carry gives a result with the reason', async () => {
  expect(await postTo({ url: 'http://127.0.0.1:9' }, { headers: { 'webhook-id': 'a\nb' } })).toMatchObject({
    status: undefined,
    error: expect.stringContaining('webhook-id'),
  });
});
