import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { makeSeededRandom, type Random } from '../../shared/random.ts';
import { watchForeignRequests } from '../../shared/skipping/foreign-requests.ts';
import { RequestCounter } from '../../shared/skipping/request-counter.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { isThoroughRun, scaledDraws } from '../draws.ts';
import { SkippingStack } from './skipping-stack.ts';

/** One step of a point of sale or of its test. It returns the promise of the request that it sends. */
type Step = (pos: SkippingStack) => Promise<unknown>;

/** Returns random sales. Shoppers think or leave, hosts and networks are slow, terminals are off, and faults happen. */
function program(random: Random): Step[] {
  const ms = (most: number) => 1 + random.int(most);
  const fault =
    (kind: object): Step =>
    (pos) =>
      pos.control('POST', '/faults', { ...kind, method: 'GET' });
  const wait: Step = (pos) => pos.control('POST', '/clock/wait', { ms: ms(60_000) });
  const kinds: (() => Step[])[] = [
    () => [(pos) => pos.shopper(ms(130_000))],
    () => [(pos) => pos.at('PUT', 'shopper', { leaves: true })],
    () => [(pos) => pos.at('PUT', 'outcome', { outcome: { type: 'late', delayMs: ms(40_000) } })],
    () => [(pos) => pos.at('PUT', 'outcome', { outcome: { type: 'silent' } })],
    () => [(pos) => pos.at('POST', 'latency', { latencyMs: ms(4_000) })],
    () => [(pos) => pos.at('POST', 'power', { on: false }), wait],
    () => [(pos) => pos.at('POST', 'power', { on: true }), wait],
    () => [fault({ fault: 'delayAnswer', delayMs: ms(60_000), path: '/payment-requests/status' })],
    () => [fault({ fault: 'delayRequest', delayMs: ms(9_000), path: '/payment-requests/status' })],
    () => [fault({ fault: 'dropAnswer', path: '/payment-requests/status' })],
  ];
  const steps: Step[] = [(pos) => pos.shopper(ms(100_000))];
  for (let sale = 0; sale < 3; sale++) {
    steps.push(...(kinds[random.int(kinds.length)] as () => Step[])());
    const key = `sale-${sale}`;
    steps.push((pos) => pos.pay(12.5, key));
    for (let asked = 0; asked < 3; asked++)
      steps.push((pos) => pos.pos('GET', `/payment-requests/status?idempotencyKey=${key}`));
  }
  return steps;
}

/** Plays a list of steps. Resolves to the journal without real times, and to the time at which each step was over. */
async function run(
  seed: number,
  clock: 'virtual' | 'skipping',
  took: (step: Promise<unknown>, index: number, clock: VirtualClock) => Promise<unknown>,
) {
  const config = resolveConfig(undefined, {
    ...{ port: 0, memory: true, seed, logLevel: 'silent', clock },
    skipping: { patienceMs: 2, settleMs: 0 },
  });
  const runtime = createRuntime({ clock, seed });
  const stack = await startStack(config, { terminals: true, runtime });
  const counter = new RequestCounter(runtime.inFlight, runtime.timeWaits.activity);
  const count = (requestId: string, over: Promise<void>) => counter.count(requestId, over);
  const stop = clock === 'virtual' ? watchForeignRequests(stack.url, count) : () => {};
  const pos = new SkippingStack(stack);
  const moments: number[] = [];
  try {
    for (const [index, step] of program(makeSeededRandom(seed)).entries()) {
      await took(
        step(pos).catch(() => 'no answer'),
        index,
        pos.clock,
      );
      moments.push(pos.clock.monotonic());
      // Waits until everything that the step caused has happened. Without this wait, the terminal's remaining work
      // would race with the next request, on either kind of clock.
      await pos.clock.inFlight.settled();
    }
    const journal = pos
      .journal()
      .map(({ seq, at, kind, terminal, payment, data }) => ({ seq, at, kind, terminal, payment, data }));
    const text = JSON.stringify(journal, null, 1).replaceAll(new URL(stack.url).host, 'HOST');
    return { moments, text };
  } finally {
    stop();
    await stack.close();
  }
}

test('a run whose time moves by itself has the same journal as one whose test moves time (B270)', {
  timeout: 600_000,
}, async () => {
  for (let seed = 1; seed <= (isThoroughRun ? scaledDraws(25) : 3); seed++) {
    const skipping = await run(seed, 'skipping', (step) => step);
    const advanced = await run(seed, 'virtual', async (step, index, clock) => {
      await clock.inFlight.settled();
      await clock.moveTo(skipping.moments[index] as number);
      return step;
    });
    expect(advanced.text, `seed ${seed}`).toBe(skipping.text);
    expect(skipping.moments.at(-1)).toBeGreaterThan(skipping.moments[0] as number);
  }
});
