import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDialHeaders } from '../../shared/transport/numbered-dial.ts';
import { PaymentsHarness } from '../payments/payments-harness.fixture.ts';
import type { TestTerminal } from '../payments/test-terminal.fixture.ts';

let harness: PaymentsHarness;
beforeEach(async () => {
  harness = await PaymentsHarness.start();
});
afterEach(() => harness.stop());

const dial = (instance: string, count: number) =>
  harness.terminal().connect(makeDialHeaders({ instance, count }));

/**
 * Dials the gateway, and cuts the link before the gateway handles the dial. The socket stays open, but the terminal
 * sends nothing on it.
 */
async function deadDial(headers: Record<string, string> = {}): Promise<TestTerminal> {
  const dead = harness.terminal();
  const connecting = dead.connect(headers, (link) => link.cut());
  return connecting;
}

async function pays(terminal: TestTerminal): Promise<void> {
  const paying = harness.pay(25);
  await terminal.pay();
  expect((await paying).body.response).toMatchObject({ result: 'success' });
}

describe('a dial displaces no other connection (B189)', () => {
  test.each([
    ['of another instance', makeDialHeaders({ instance: 'B', count: 1 })],
    ['that is the later one', makeDialHeaders({ instance: 'A', count: 3 })],
    ['that does not count', {}],
  ])('until its socket has answered a ping, and is closed if it does not: one %s', async (_, headers) => {
    const live = await dial('A', 2);
    await deadDial(headers);
    await harness.settle();
    await pays(live);
    await harness.clock.advance(harness.runtime.timeouts.heartbeatMs);
    expect(harness.journal('link.closed').map(({ data }) => data)).toEqual([
      { link: '/poi', code: 4003, reason: 'there was no answer to a ping' },
    ]);
    await pays(live);
    expect(live.closed).toBeUndefined();
  });

  test('if a later dial of the same link is connected', async () => {
    const live = await dial('A', 2);
    const former = await dial('A', 1);
    await harness.settle();
    expect(former.closed).toEqual({ code: 4001, reason: 'yours' });
    await pays(live);
  });

  test.each(['-1', '0', '1e9', '9'.repeat(40), 'NaN', '2, 3', ''])(
    'because of an invalid count: with %s the terminal counts as one that does not count',
    async (count) => {
      const first = await dial('A', 2);
      const second = await harness.terminal().connect({ 'pinpad-instance': 'A', 'pinpad-dial': count });
      await harness.settle();
      expect(first.closed).toEqual({ code: 4001, reason: "another's" });
      await pays(second);
    },
  );
});

describe('a dial displaces the connection of', () => {
  test.each([
    ['the same link, dialled before', ['A', 1], 'yours'],
    ['the same dial', ['A', 2], 'yours'],
    ['a former process, however often it had dialled', ['B', 999_999_999_999_999], "another's"],
  ] as const)('%s (B190)', async (_, [instance, count], reason) => {
    const before = await dial(instance, count);
    const after = await dial('A', 2);
    await harness.settle();
    expect(before.closed).toEqual({ code: 4001, reason });
    await pays(after);
  });

  test('a later dial that has ended', async () => {
    const before = await dial('A', 2);
    before.link?.close();
    await harness.settle();
    await pays(await dial('A', 1));
  });
});

test('messages that a terminal sends before its dial is admitted are handled afterwards, in order', async () => {
  await dial('A', 1);
  const events = ['Initialised', 'Shutdown'] as const;
  const second = harness.terminal();
  await second.connect(makeDialHeaders({ instance: 'A', count: 2 }), () => {
    for (const EventToNotify of events)
      second.send('EventNotification', EventToNotify.slice(0, 4), {
        TimeStamp: '2026-01-01T09:00:00Z',
        EventToNotify,
      });
  });
  await harness.settle();
  expect(harness.journal('message.received').map(({ data }) => data.serviceId)).toEqual(['Init', 'Shut']);
});

test('of many dials that do not answer a ping, only a few wait', async () => {
  const live = await dial('A', 1);
  for (let count = 2; count < 12; count++) await deadDial(makeDialHeaders({ instance: 'A', count }));
  await harness.settle();
  const closed = harness.journal('link.closed').map(({ data }) => data.code);
  expect(closed).toEqual([1013, 1013]);
  await harness.clock.advance(harness.runtime.timeouts.heartbeatMs);
  await pays(live);
});

test('a waiting dial does not connect a terminal that was deleted meanwhile', async () => {
  await dial('A', 1);
  const slow = harness.terminal();
  await slow.connect(makeDialHeaders({ instance: 'A', count: 2 }), (link) => link.slowDown(1_000));
  const { id } = harness.services.terminals.byPoiId('V400m-1') ?? { id: '' };
  await harness.services.terminals.deleteTerminal(id);
  await harness.clock.advance(5_000);
  expect(slow.closed).toMatchObject({ code: 1008, reason: 'this terminal was deleted' });
  expect(harness.services.poi.isConnected(id)).toBe(false);
});
