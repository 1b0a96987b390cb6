import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { defaultAddressRules } from './addresses.ts';
import { post } from './post.ts';
import { Receiver } from './receiver.fixture.ts';

test('a process that stood still until the time of an attempt was over sends nothing any more', async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  let stoodStillMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + stoodStillMs };
  const attempt = () =>
    post(
      receiver.url,
      { headers: { 'content-type': 'application/json' }, body: '{}' },
      {
        rules: defaultAddressRules('127.0.0.1'),
        clock,
        timeoutMs: 200,
        signal: new AbortController().signal,
      },
    );
  expect(await attempt()).toMatchObject({ status: 204 });
  const posted = attempt();
  stoodStillMs = 200; // before it is connected
  expect(await posted).toMatchObject({ status: undefined, error: 'no answer within 200 ms' });
  expect(receiver.received).toHaveLength(1);
});
