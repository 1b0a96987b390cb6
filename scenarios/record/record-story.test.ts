import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ConfigChanges } from '../../stack/index.ts';
import { type StackBed, stackBed } from '../../test/stack/stack-bed.ts';
import { findStories } from '../run/find-stories.ts';
import { runStory } from '../run/run-story.ts';
import { recordStory } from './record-story.ts';

const folder = mkdtempSync(join(tmpdir(), 'pinpad-record-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = (value: string) => ({ 'idempotency-key': value });

/** Plays on a stack over the control API as a person would; gives the recording of it. */
async function recorded(
  play: (bed: StackBed) => Promise<void>,
  changes: ConfigChanges = {},
): Promise<string> {
  const bed = await stackBed(changes);
  const before = bed.journal().length;
  await play(bed);
  return recordStory(bed.journal().slice(before), { name: 'Recorded', terminals: bed.stack.terminals });
}

/** Plays a recording; gives how it went. */
async function replayed(story: string) {
  const file = join(folder, 'recorded.yaml');
  writeFileSync(file, story);
  const [found] = findStories([file]);
  if (!found) throw new Error('no story');
  const result = await runStory(found);
  if (result.failure) throw new Error(`${result.failure.message}\n${result.failure.step}\n${story}`);
  return result.journal;
}

const outcomesIn = (journal: Awaited<ReturnType<typeof replayed>>) =>
  journal.flatMap(({ kind, data }) =>
    kind === 'payment.concluded' && 'result' in data && 'errorCondition' in data
      ? [data.errorCondition ?? data.result]
      : kind === 'payment.concluded'
        ? ['success']
        : [],
  );

describe('a recording', () => {
  test('of chip and PIN, once wrong, reads like the story of it', async () => {
    const story = await recorded(async (bed) => {
      const paid = bed.pay(12.5, { saleData: { saleReferenceId: 'order-1' } }, key('sale-key-1'));
      await bed.until('presentCard');
      await bed.act('insert', { card: 'visa-credit' });
      await bed.until('pin');
      await bed.act('press', { keys: ['9', '9', '9', '9', 'enter'] });
      await bed.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
      await paid;
      await bed.act('remove');
      await bed.until('idle');
    });
    expect(story).toBe(`name: Recorded
description: Recorded. Say here what it shows, and take out what does not matter.
steps:
  - pay: 12.5
    key: sale-key-1
    reference: order-1
    as: sale
  - insert: visa-credit
  - pin: wrong
  - pin: right
  - expect: success
    of: sale
  - remove
  - expect:
      screen: idle
  - expect:
      journal:
        - kind: ledger.authorized
          times: 1
        - kind: ledger.declined
          times: 0
        - kind: ledger.reversed
          times: 0
`);
    expect(outcomesIn(await replayed(story))).toEqual(['success']);
  });

  test('holds neither the PIN nor the card number that was typed', async () => {
    const story = await recorded(async (bed) => {
      const paid = bed.pay(8);
      await bed.until('presentCard');
      await bed.act('key-in', { number: '4242424242424242', expiry: '1249' });
      await paid;
    });
    // It is one of the published test cards: the masked number tells which.
    expect(story).toContain('- key in: 4242424242424242');
    expect(outcomesIn(await replayed(story))).toEqual(['success']);
  });

  test('has a test card in the place of one that is not in the tray', async () => {
    const story = await recorded(
      async (bed) => {
        const paid = bed.pay(8);
        await bed.until('presentCard');
        await bed.act('tap', { card: 'my-own' });
        await paid;
      },
      {
        cards: [
          {
            id: 'my-own',
            label: 'My own',
            number: '5555341244441115',
            expiry: '1230',
            country: '528',
            funding: 'credit',
            applications: [{ aid: 'A0000000041010', label: 'MASTERCARD', brand: 'mc', debit: false }],
            contactless: { limit: 50, aboveLimit: 'allow' },
            keyed: true,
            note: '',
          },
        ],
      },
    );
    expect(story).not.toMatch(/my-own|5555341244441115|1115/);
    expect(story).toContain('# another card was presented');
    expect(story).toMatch(/- tap: mc-/);
    expect(outcomesIn(await replayed(story))).toEqual(['success']);
  });

  test('has an unreadable test card in the place of what a reader could not read', async () => {
    const story = await recorded(
      async (bed) => {
        const inserted = bed.pay(8);
        await bed.until('presentCard');
        await bed.act('insert', { card: 'reader-unreadable' });
        await bed.until('chipUnreadable');
        await bed.act('remove');
        await bed.act('press', { key: 'cancel' });
        await inserted;
        await bed.until('idle');
        const swiped = bed.pay(8);
        await bed.until('presentCard');
        await bed.act('swipe', { card: 'reader-unreadable' });
        await bed.act('press', { key: 'cancel' });
        await swiped;
      },
      {
        cards: [
          {
            id: 'reader-unreadable',
            label: 'Unreadable card',
            number: '4761739001010010',
            expiry: '1230',
            country: '840',
            funding: 'credit',
            applications: [{ aid: 'A0000000031010', label: 'VISA', brand: 'visa', debit: false }],
            chip: { verification: 'none', readable: 'no' },
            stripe: { verification: 'none', readable: false },
            keyed: false,
            note: '',
          },
        ],
      },
    );
    expect(story).toMatch(/- insert: chip-dead\n[\s\S]*- swipe: stripe-dead\n/);
    expect(outcomesIn(await replayed(story))).toEqual(['cancel', 'cancel']);
  });

  test('of three wrong PINs ends as it ended', async () => {
    const story = await recorded(async (bed) => {
      const paid = bed.pay(12.5);
      await bed.until('presentCard');
      await bed.act('insert', { card: 'visa-credit' });
      await bed.until('pin');
      for (const _ of [1, 2, 3]) await bed.act('press', { keys: ['9', '9', '9', '9', 'enter'] });
      await paid;
      await bed.act('remove');
    });
    expect(story.match(/pin: wrong/g)).toHaveLength(3);
    expect(outcomesIn(await replayed(story))).toEqual(['wrongPin']);
  });

  test('of tips, chosen and typed, gives the same tips', async () => {
    const story = await recorded(async (bed) => {
      const first = bed.pay(20, { gratuity: { enabled: true } });
      await bed.until('tip');
      await bed.act('press', { key: '1' });
      await bed.act('tap', { card: 'visa-credit' });
      await first;
      await bed.until('idle');
      const options = [{ type: 'percentage', value: 10 }, { type: 'custom' }];
      const second = bed.pay(30, { gratuity: { enabled: true, options } });
      await bed.until('tip');
      await bed.act('press', { key: '2' });
      await bed.until('customTip');
      await bed.act('press', { keys: ['3', '5', '0', 'enter'] });
      await bed.act('tap', { card: 'visa-credit' });
      await second;
    });
    expect(story).toContain('tipAmount: 3\n');
    expect(story).toContain('- press: 3 5 0 enter');
    expect(story).toContain('tipAmount: 3.5');
    expect(outcomesIn(await replayed(story))).toEqual(['success', 'success']);
  });

  test('of a customer who never comes has the time that passed', async () => {
    const story = await recorded(async (bed) => {
      const paid = bed.pay(20);
      await bed.until('presentCard');
      await bed.clock.advance(120_000);
      await paid;
    });
    expect(story).toContain('- pass: 120 s');
    expect(outcomesIn(await replayed(story))).toEqual(['cancel']);
  });

  test('of a lost answer has the hang-up and the recovery', async () => {
    const story = await recorded(async (bed) => {
      const hangUp = new AbortController();
      const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
      const path = `/terminals/${bed.terminalId}/payment-request`;
      const paid = bed.http('POST', path, body, key('lost'), hangUp.signal).catch(() => undefined);
      await bed.until('presentCard');
      const heard = new Promise<void>((resolve) =>
        bed.stack.runtime.journal.listen(({ kind }) => kind === 'http.hungUp' && resolve()),
      );
      hangUp.abort();
      await paid;
      await heard;
      await bed.act('tap', { card: 'visa-credit' });
      await bed.until('idle');
      await bed.http('GET', '/payment-requests/status?idempotencyKey=lost');
      await bed.pay(5, {}, key('lost'));
    });
    expect(story).toContain('- hang up: sale');
    expect(story).toContain('- ask status:\n      of: sale\n      by: key');
    expect(story).toContain('- pay again: sale');
    expect(outcomesIn(await replayed(story))).toEqual(['success']);
  });

  test('of a power cut, an outcome that was set and two terminals plays the same', async () => {
    const story = await recorded(async (bed) => {
      const first = bed.pay(10);
      await bed.until('presentCard');
      await bed.act('power', { on: false });
      await bed.act('power', { on: true });
      await bed.until('idle');
      await first;
      await bed.control('PUT', `/terminals/${bed.terminalId}/outcome`, { outcome: { type: 'decline' } });
      const second = bed.pay(10);
      await bed.until('presentCard');
      await bed.act('tap', { card: 'visa-credit' });
      await second;
      const { poiId, identifier } = bed.terminal(1);
      const third = bed.http('POST', `/terminals/${identifier}/payment-request`, {
        paymentTransaction: { amountsReq: { requestedAmount: 7 } },
      });
      await bed.control('GET', `/terminals/${poiId}/screen?until=presentCard`);
      await bed.control('POST', `/terminals/${poiId}/press`, { key: 'cancel' });
      await third;
    });
    expect(story).toContain('terminals:\n    - terminal-1\n    - terminal-2');
    expect(story).toContain('host: declines');
    expect(outcomesIn(await replayed(story))).toEqual(['deviceOut', 'refusal', 'cancel']);
  });

  test('of requests that are refused is refused alike', async () => {
    const story = await recorded(async (bed) => {
      await bed.http('GET', '/terminals', undefined, { authorization: 'Bearer wrong' });
      const nowhere = '/terminals/00000000-0000-7000-8000-000000000000/payment-request';
      await bed.http('POST', nowhere, { paymentTransaction: { amountsReq: { requestedAmount: 5 } } });
      await bed.pay(-1);
      await bed.http('GET', '/payment-requests/status?idempotencyKey=never-sent');
    });
    expect(story).toContain('token: none');
    expect(story).toContain('request: POST /terminals/00000000-');
    expect(outcomesIn(await replayed(story))).toEqual([]);
  });

  test('of faults that a test bench set has them, and finds the payment again', async () => {
    const story = await recorded(async (bed) => {
      const path = `/terminals/${bed.terminalId}/payment-request`;
      await bed.control('POST', '/faults', { fault: 'dropAnswer', method: 'POST', path });
      const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
      const paid = bed.http('POST', path, body, key('lost')).catch(() => undefined);
      await bed.until('presentCard');
      await bed.act('tap', { card: 'visa-credit' });
      await paid;
      await bed.http('GET', '/payment-requests/status?idempotencyKey=lost');
      await bed.control('POST', '/cards/visa-credit/reset');
    });
    expect(story).toContain('control: POST /faults');
    expect(story).toContain('path: /terminals/<terminal.id>/payment-request');
    expect(story).toContain('- reset card: visa-credit');
    expect(outcomesIn(await replayed(story))).toEqual(['success']);
  });

  test('of a power cut while the issuer thinks cuts it at that screen, for as long', async () => {
    const story = await recorded(async (bed) => {
      const outcome = { type: 'late', delayMs: 5_000 };
      await bed.control('PUT', `/terminals/${bed.terminalId}/outcome`, { outcome });
      const paid = bed.pay(10, {}, key('cut'));
      await bed.until('presentCard');
      await bed.act('tap', { card: 'visa-credit' });
      await bed.until('authorizing');
      await bed.act('power', { on: false });
      await bed.clock.advance(10_000);
      await bed.act('power', { on: true });
      await bed.until('idle');
      await paid;
    });
    expect(story).toContain('needs:\n  pacing: natural\n');
    expect(story).toMatch(/screen: authorizing\n {2}- power: off\n {2}- pass: 10 s\n {2}- power: on\n/);
    expect(outcomesIn(await replayed(story))).toEqual(['deviceOut']);
  });

  test('of a refund that fails later waits until it has', async () => {
    const story = await recorded(async (bed) => {
      const [contact] = (
        await bed.control<{ id: string; creditCards: { id: string }[] }[]>('GET', '/contacts')
      ).body;
      const path = `/contact/${contact?.id}/creditCards/${contact?.creditCards[0]?.id}/charge`;
      const charge = { amount: 30, to_bank_account_id: 'demo-bank-account', statement: 'ORDER' };
      const { body } = await bed.http<{ debit_id: string }>('POST', path, charge);
      await bed.http('POST', `/debit/${body.debit_id}/refunds`, { amount: 30, reason: 'duplicate' });
      await bed.clock.advance(3_000);
      await bed.http('GET', `/debit/${body.debit_id}/refunds`);
    });
    expect(story).toMatch(/kind: refund.changed\n {8}data:\n {10}status: submitted/);
    expect((await replayed(story)).some(({ kind }) => kind === 'ledger.refunded')).toBe(true);
  });
});
