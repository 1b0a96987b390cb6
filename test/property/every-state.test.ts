import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { screenStates } from '../../shared/emulator/screen.ts';
import { type HttpAnswer, type Result, type StackBed, stackBed } from '../stack/stack-bed.ts';
import { type Journey, journeys, travel } from './journeys.ts';

/** The same accident in every state of a payment, each with the outcome it must have. */

/** From authorizing on the host decides, and nothing else. */
const decided = (journey: Journey) => journey.after === 'approval' || journey.state === 'authorizing';

function bedFor({ natural }: Journey): Promise<StackBed> {
  return stackBed(natural ? { pacing: 'natural' } : {});
}

async function outcomeOf(bed: StackBed, answer: HttpAnswer): Promise<string> {
  const told = answer.status === 303 ? await bed.http('GET', answer.headers.get('location') ?? '') : answer;
  const { response }: Result = told.body;
  return response.errorCondition ?? response.result;
}

/** Whatever happened, in the end the books agree, the key answers with the outcome and the terminal works. */
async function allIsWell(bed: StackBed, outcome: string): Promise<void> {
  await bed.act('remove');
  await bed.advance(300_000);
  await bed.act('remove');
  const books = await bed.control('GET', '/books');
  expect(books.body).toMatchObject({ agree: true, open: 0, differences: [] });
  const byKey = await bed.http('GET', '/payment-requests/status?idempotencyKey=journey');
  expect(byKey.body.response.errorCondition ?? byKey.body.response.result).toBe(outcome);
  await bed.advance(60_000);
  const paying = bed.pay(10);
  await bed.settled();
  await bed.act('tap', { card: 'phone' });
  await bed.advance(10_000);
  expect((await paying).body.response.result).toBe('success');
}

test('every state of a payment is on the list', () => {
  const notOfAPayment = [
    'off',
    'starting',
    'idle',
    'offline',
    'displaced',
    'declined',
    'cancelled',
    'cardNotAccepted',
  ];
  const listed = [...journeys.map(({ state }) => state), ...notOfAPayment];
  expect(listed.toSorted()).toEqual([...screenStates].toSorted());
});

describe('the merchant aborts at', () => {
  for (const journey of journeys) {
    const expected = decided(journey) ? 'success' : 'aborted';
    test(`${journey.state}: ${expected}`, async () => {
      const bed = await bedFor(journey);
      const { answer } = await travel(bed, journey);
      const abort = await bed.http('POST', '/payment-requests/abort', { idempotencyKey: 'journey' });
      expect(abort.status).toBe(204);
      await bed.advance(25_000);
      expect(await outcomeOf(bed, await answer)).toBe(expected);
      await allIsWell(bed, expected);
    });
  }
});

describe('the shopper presses cancel at', () => {
  for (const journey of journeys) {
    const deaf = ['readingCard', 'cardUnreadable', ...(decided(journey) ? [journey.state] : [])];
    if (deaf.includes(journey.state) && !decided(journey)) continue;
    const expected = decided(journey) ? 'success' : 'cancel';
    test(`${journey.state}: ${expected}`, async () => {
      const bed = await bedFor(journey);
      const { answer } = await travel(bed, journey);
      await bed.act('press', { key: 'cancel' });
      await bed.advance(25_000);
      expect(await outcomeOf(bed, await answer)).toBe(expected);
      await allIsWell(bed, expected);
    });
  }
});

describe.each([0, 5_000, 60_000])('the power is cut, and back after %d ms, at', (downMs) => {
  for (const journey of journeys) {
    const expected = journey.after === 'approval' ? 'success' : 'deviceOut';
    test(`${journey.state}: ${expected}`, async () => {
      const bed = await bedFor(journey);
      const { answer } = await travel(bed, journey);
      await bed.act('power', { on: false });
      if (downMs > 0) await bed.advance(downMs);
      await bed.act('power', { on: true });
      await bed.advance(30_000);
      expect(await outcomeOf(bed, await answer)).toBe(expected);
      await allIsWell(bed, expected);
    });
  }
});

describe('the power is cut and never back at', () => {
  for (const journey of journeys) {
    const expected = journey.after === 'approval' ? 'success' : 'deviceOut';
    test(`${journey.state}: ${expected}`, async () => {
      const bed = await bedFor(journey);
      const { answer } = await travel(bed, journey);
      await bed.act('power', { on: false });
      await bed.advance(190_000);
      expect(await outcomeOf(bed, await answer)).toBe(expected);
      expect((await bed.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
      await bed.act('power', { on: true });
      await allIsWell(bed, expected);
    });
  }
});

/** What a shopper who goes on while the network is away comes to. */
async function payOn(bed: StackBed, { state }: Journey): Promise<void> {
  const press = (...keys: string[]) => bed.act('press', { keys });
  if (state === 'customTip') await press('enter');
  if (state === 'tip') await press('enter');
  if (state === 'presentCard') await bed.act('tap', { card: 'visa-credit' });
  if (state === 'pin' || state === 'pinWrong') {
    await bed.advance(3_000);
    await press('1', '2', '3', '4', 'enter');
  }
}

describe('the network is cut for 5 s, and the shopper goes on, at', () => {
  const paysThen = ['presentCard', 'pin', 'pinWrong', 'authorizing'];
  for (const journey of journeys) {
    const expected = journey.after === 'approval' || paysThen.includes(journey.state) ? 'success' : 'cancel';
    test(`${journey.state}: ${expected}`, async () => {
      const bed = await bedFor(journey);
      const { answer } = await travel(bed, journey);
      await bed.act('network', { up: false });
      await payOn(bed, journey);
      await bed.advance(5_000);
      await bed.act('network', { up: true });
      await bed.advance(25_000);
      if (expected === 'cancel') await bed.act('press', { key: 'cancel' });
      await bed.advance(1_000);
      expect(await outcomeOf(bed, await answer)).toBe(expected);
      await allIsWell(bed, expected);
    });
  }
});

describe('the network is cut and never back at', () => {
  for (const journey of journeys) {
    const expected = journey.after === 'approval' ? 'success' : 'deviceOut';
    test(`${journey.state}: ${expected}`, async () => {
      const bed = await bedFor(journey);
      const { answer } = await travel(bed, journey);
      await bed.act('network', { up: false });
      await payOn(bed, journey);
      await bed.advance(250_000);
      expect(await outcomeOf(bed, await answer)).toBe(expected);
      expect((await bed.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
      await bed.act('network', { up: true });
      await allIsWell(bed, expected);
    });
  }
});

describe('between the approval and its result', () => {
  const silentThenCut = ['power', 'network'] as const;
  for (const accident of silentThenCut) {
    test(`the issuer approved, the answer was lost and the ${accident} goes for good: nobody's money is stranded`, async () => {
      const bed = await stackBed();
      await bed.control('PUT', `/terminals/${bed.poiId}/outcome`, { outcome: { type: 'silent' } });
      const answer = bed.pay(10, {}, { 'idempotency-key': 'journey' });
      await bed.settled();
      await bed.act('tap', { card: 'visa-credit' });
      expect(bed.journal('ledger.authorized')).toHaveLength(1);
      if (accident === 'power') await bed.act('power', { on: false });
      else await bed.act('network', { up: false });
      await bed.advance(250_000);
      expect(await outcomeOf(bed, await answer)).toBe('deviceOut');
      expect(bed.journal('ledger.reversed')).toHaveLength(1);
      expect((await bed.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
      if (accident === 'power') await bed.act('power', { on: true });
      else await bed.act('network', { up: true });
      await allIsWell(bed, 'deviceOut');
    });
  }

  test('the gateway restarts with the payment at the PIN: the terminal finishes it, and the key answers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-every-state-'));
    const bed = await stackBed({ memory: false, data: folder });
    const { answer } = await travel(bed, journeys.find(({ state }) => state === 'pin') as Journey);
    await bed.restartGateway();
    expect((await answer).status).toBe(303);
    await bed.advance(20_000);
    await bed.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
    await bed.advance(1_000);
    const told = await bed.http('GET', '/payment-requests/status?idempotencyKey=journey');
    expect(told.body.response.result).toBe('success');
    await allIsWell(bed, 'success');
    await bed.close();
    rmSync(folder, { recursive: true });
  });
});
