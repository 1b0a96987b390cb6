import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MomentPlan } from '../../shared/moment-plans.ts';
import { type InterruptionConsequence, type MomentName, momentNames, moments } from '../../shared/moments.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly } from '../optional-programs.ts';
import { openStack, type StackHarness } from '../stack/stack-harness.ts';
import { outcomeOf, type PaidOutcome, type PaymentWay, payBy, rareWays, usualPaymentWays } from './pays.ts';

const testInCi = testThoroughly();

/**
 * Cuts power and network at every step of the terminal, in every way to pay. Checks that the outcome and both
 * ledgers agree afterwards (B280, B281).
 */

const atTerminal = momentNames.filter((name) => moments[name].side === 'terminal');
const backMs = 20_000;

let harness: StackHarness;
beforeAll(async () => {
  harness = await openStack({ pacing: 'natural' });
});
afterAll(() => harness.close());

/** Returns the kinds of a payment's entries in the host's ledger. */
async function ledgerOf({ result }: PaidOutcome): Promise<string> {
  const { body } = await harness.control<{ kind: string }[]>('GET', `/ledger?payment=${result.identifier}`);
  return body
    .map(({ kind }) => kind)
    .reverse()
    .join(' ');
}

async function setPlans(): Promise<MomentPlan[]> {
  return (await harness.control<{ set: MomentPlan[] }>('GET', '/moments')).body.set;
}

/** Sets one action at a step, and pays. Returns the outcome, and whether the payment reached the step. */
async function paysWith(moment: MomentName, action: 'powerOff' | 'networkOff', way: PaymentWay) {
  await harness.control('PUT', `/moments/${moment}`, { action, backMs, terminal: harness.poiId });
  const paid = await payBy(harness, way);
  const left = await setPlans();
  await harness.control('DELETE', '/moments');
  expect(left.map((plan) => plan.moment)).toEqual(left.length > 0 ? [moment] : []);
  const ledger = await ledgerOf(paid);
  const books = await harness.control('GET', '/books');
  expect(books.body).toMatchObject({ agree: true, open: 0, differences: [] });
  await harness.control('DELETE', `/terminals/${harness.poiId}/outcome`);
  return { paid, ledger, reached: left.length === 0 };
}

const cameTo = new Map<MomentName, Set<string>>(atTerminal.map((name) => [name, new Set()]));
const taken = /authorized(?!.* reversed)/;

/**
 * The table of steps names the consequence of a power cut. For each consequence, this object has a function that checks
 * the outcome and the ledger. `without` is the outcome of the same payment without the power cut.
 */
const agrees: Partial<
  Record<InterruptionConsequence, (outcome: string, ledger: string, without: string) => boolean>
> = {
  sentAgain: (outcome, _, without) => outcome === without,
  notTaken: (outcome, ledger) => outcome === 'deviceOut' && !ledger.includes('authorized'),
  takenBack: (outcome, ledger) => outcome === 'deviceOut' && !taken.test(ledger),
  answeredLater: (outcome, _, without) => outcome === without,
  ended: (outcome, _, without) => outcome === without,
};

const all = { ...usualPaymentWays, ...rareWays };
describe.each(Object.entries(all))('%s', (name, way: PaymentWay & { to?: readonly MomentName[] }) => {
  const { to = atTerminal } = way;
  let without = '';
  beforeAll(async () => {
    without = outcomeOf((await payBy(harness, way)).result);
  });

  test.each(sampleCases(to, 3))('the power goes at %s', async (moment) => {
    const { paid, ledger, reached } = await paysWith(moment, 'powerOff', way);
    if (!reached) return expect(outcomeOf(paid.result)).toBe(without);
    cameTo.get(moment)?.add(name);
    const outcome = outcomeOf(paid.result);
    const holds = agrees[moments[moment].leadsTo]?.(outcome, ledger, without);
    expect(holds, `${moments[moment].leadsTo}: ${outcome}, ${ledger}`).toBe(true);
  });

  test.each(sampleCases(to, 6))('the network goes at %s', async (moment) => {
    const { paid, ledger, reached } = await paysWith(moment, 'networkOff', way);
    if (way.to) expect(reached).toBe(true);
    const outcome = outcomeOf(paid.result);
    if (!reached) expect(outcome).toBe(without);
    expect(taken.test(ledger), `${outcome}: ${ledger}`).toBe(outcome === 'success');
  });
});

testInCi('every moment of the terminal was reached', () => {
  expect([...cameTo].filter(([, by]) => by.size === 0).map(([moment]) => moment)).toEqual([]);
});
