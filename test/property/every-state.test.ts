import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { screenStates } from '../../shared/emulator/screen.ts';
import { sampleCases } from '../draws.ts';
import {
  type HttpAnswer,
  type StackHarness,
  stackHarness,
  type TransactionResult,
} from '../stack/stack-harness.ts';
import { reach, type StateRecipe, stateRecipes } from './state-recipes.ts';

/**
 * Causes the same accident in every state of a payment. For each state it is known which outcome has to follow.
 * `npm test` tries one sixth of the states with each accident, and `.ci/run` tries all.
 */

/** From the state `authorizing` on, only the host decides. */
const decided = (journey: StateRecipe) => journey.after === 'approval' || journey.state === 'authorizing';

function bedFor({ natural }: StateRecipe): Promise<StackHarness> {
  return stackHarness(natural ? { pacing: 'natural' } : {});
}

async function outcomeOf(harness: StackHarness, answer: HttpAnswer): Promise<string> {
  const observed =
    answer.status === 303 ? await harness.http('GET', answer.headers.get('location') ?? '') : answer;
  const { response }: TransactionResult = observed.body;
  return response.errorCondition ?? response.result;
}

/**
 * Checks that all is well at the end of a case: the ledgers agree, the key is answered with the outcome, and the
 * terminal works.
 */
async function allIsWell(harness: StackHarness, outcome: string): Promise<void> {
  await harness.act('remove');
  await harness.advance(300_000);
  await harness.act('remove');
  const books = await harness.control('GET', '/books');
  expect(books.body).toMatchObject({ agree: true, open: 0, differences: [] });
  const byKey = await harness.http('GET', '/payment-requests/status?idempotencyKey=journey');
  expect(byKey.body.response.errorCondition ?? byKey.body.response.result).toBe(outcome);
  await harness.advance(60_000);
  const paying = harness.pay(10);
  await harness.settled();
  await harness.act('tap', { card: 'phone' });
  await harness.advance(10_000);
  expect((await paying).body.response.result).toBe('success');
}

test('every state of a payment is on the list of this test', () => {
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
  const listed = [...stateRecipes.map(({ state }) => state), ...notOfAPayment];
  expect(listed.toSorted()).toEqual([...screenStates].toSorted());
});

describe('the merchant aborts at', () => {
  for (const journey of sampleCases(stateRecipes, 6)) {
    const expected = decided(journey) ? 'success' : 'aborted';
    test(`${journey.state}: ${expected}`, async () => {
      const harness = await bedFor(journey);
      const { answer } = await reach(harness, journey);
      const abort = await harness.http('POST', '/payment-requests/abort', { idempotencyKey: 'journey' });
      expect(abort.status).toBe(204);
      await harness.advance(25_000);
      expect(await outcomeOf(harness, await answer)).toBe(expected);
      await allIsWell(harness, expected);
    });
  }
});

describe('the shopper presses cancel at', () => {
  for (const journey of sampleCases(stateRecipes, 6, 3)) {
    const deaf = ['readingCard', 'cardUnreadable', ...(decided(journey) ? [journey.state] : [])];
    if (deaf.includes(journey.state) && !decided(journey)) continue;
    const expected = decided(journey) ? 'success' : 'cancel';
    test(`${journey.state}: ${expected}`, async () => {
      const harness = await bedFor(journey);
      const { answer } = await reach(harness, journey);
      await harness.act('press', { key: 'cancel' });
      await harness.advance(25_000);
      expect(await outcomeOf(harness, await answer)).toBe(expected);
      await allIsWell(harness, expected);
    });
  }
});

describe.each([0, 5_000, 60_000])('the power is cut, and back after %d ms, at', (downMs) => {
  for (const journey of sampleCases(stateRecipes, 6, 1)) {
    const expected = journey.after === 'approval' ? 'success' : 'deviceOut';
    test(`${journey.state}: ${expected}`, async () => {
      const harness = await bedFor(journey);
      const { answer } = await reach(harness, journey);
      await harness.act('power', { on: false });
      if (downMs > 0) await harness.advance(downMs);
      await harness.act('power', { on: true });
      await harness.advance(30_000);
      expect(await outcomeOf(harness, await answer)).toBe(expected);
      await allIsWell(harness, expected);
    });
  }
});

describe('the power is cut and never back at', () => {
  for (const journey of sampleCases(stateRecipes, 6, 4)) {
    const expected = journey.after === 'approval' ? 'success' : 'deviceOut';
    test(`${journey.state}: ${expected}`, async () => {
      const harness = await bedFor(journey);
      const { answer } = await reach(harness, journey);
      await harness.act('power', { on: false });
      await harness.advance(190_000);
      expect(await outcomeOf(harness, await answer)).toBe(expected);
      expect((await harness.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
      await harness.act('power', { on: true });
      await allIsWell(harness, expected);
    });
  }
});

/** The network is down. Does what the shopper would do next in the recipe's state. */
async function payOn(harness: StackHarness, { state }: StateRecipe): Promise<void> {
  const press = (...keys: string[]) => harness.act('press', { keys });
  if (state === 'customTip') await press('enter');
  if (state === 'tip') await press('enter');
  if (state === 'presentCard') await harness.act('tap', { card: 'visa-credit' });
  if (state === 'pin' || state === 'pinWrong') {
    await harness.advance(3_000);
    await press('1', '2', '3', '4', 'enter');
  }
}

describe('the network is cut for 5 s, and the shopper continues, at', () => {
  const paysThen = ['presentCard', 'pin', 'pinWrong', 'authorizing'];
  for (const journey of sampleCases(stateRecipes, 6, 2)) {
    const expected = journey.after === 'approval' || paysThen.includes(journey.state) ? 'success' : 'cancel';
    test(`${journey.state}: ${expected}`, async () => {
      const harness = await bedFor(journey);
      const { answer } = await reach(harness, journey);
      await harness.act('network', { up: false });
      await payOn(harness, journey);
      await harness.advance(5_000);
      await harness.act('network', { up: true });
      await harness.advance(25_000);
      if (expected === 'cancel') await harness.act('press', { key: 'cancel' });
      await harness.advance(1_000);
      expect(await outcomeOf(harness, await answer)).toBe(expected);
      await allIsWell(harness, expected);
    });
  }
});

describe('the network is cut and never back at', () => {
  for (const journey of sampleCases(stateRecipes, 6, 5)) {
    const expected = journey.after === 'approval' ? 'success' : 'deviceOut';
    test(`${journey.state}: ${expected}`, async () => {
      const harness = await bedFor(journey);
      const { answer } = await reach(harness, journey);
      await harness.act('network', { up: false });
      await payOn(harness, journey);
      await harness.advance(250_000);
      expect(await outcomeOf(harness, await answer)).toBe(expected);
      expect((await harness.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
      await harness.act('network', { up: true });
      await allIsWell(harness, expected);
    });
  }
});

describe('between the approval and its result', () => {
  const silentThenCut = ['power', 'network'] as const;
  for (const accident of silentThenCut) {
    test(`the issuer approved, the answer was lost and the ${accident} is permanent: the customer keeps the money`, async () => {
      const harness = await stackHarness();
      await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, { outcome: { type: 'silent' } });
      const answer = harness.pay(10, {}, { 'idempotency-key': 'journey' });
      await harness.settled();
      await harness.act('tap', { card: 'visa-credit' });
      await harness.settled();
      expect(harness.journal('ledger.authorized')).toHaveLength(1);
      if (accident === 'power') await harness.act('power', { on: false });
      else await harness.act('network', { up: false });
      await harness.advance(250_000);
      expect(await outcomeOf(harness, await answer)).toBe('deviceOut');
      expect(harness.journal('ledger.reversed')).toHaveLength(1);
      expect((await harness.control('GET', '/books')).body).toMatchObject({ agree: true, open: 0 });
      if (accident === 'power') await harness.act('power', { on: true });
      else await harness.act('network', { up: true });
      await allIsWell(harness, 'deviceOut');
    });
  }

  test('after a restart of the gateway during the PIN, the terminal finishes the payment, and the key answers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-every-state-'));
    const harness = await stackHarness({ memory: false, data: folder });
    const { answer } = await reach(harness, stateRecipes.find(({ state }) => state === 'pin') as StateRecipe);
    await harness.restartGateway();
    expect((await answer).status).toBe(303);
    await harness.advance(20_000);
    await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
    await harness.advance(1_000);
    const observed = await harness.http('GET', '/payment-requests/status?idempotencyKey=journey');
    expect(observed.body.response.result).toBe('success');
    await allIsWell(harness, 'success');
    await harness.close();
    rmSync(folder, { recursive: true });
  });
});
