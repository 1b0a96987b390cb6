import { expect, test } from 'vitest';
import { type StackHarness, stackHarness } from './stack-harness.ts';

/**
 * Two terminals of a process share a socket. What happens to one is the same as on a socket of its own, and does not
 * affect the other.
 */

const minute = 60_000;
const settings = { gratuity: { enabled: false } };

async function payOn(harness: StackHarness, number: number) {
  const { identifier, poiId } = harness.terminal(number);
  const body = { paymentTransaction: { amountsReq: { requestedAmount: 10 } }, ...settings };
  const paying = harness.http('POST', `/terminals/${identifier}/payment-request`, body);
  await harness.settled();
  return { paying, tap: () => harness.control('POST', `/terminals/${poiId}/tap`, { card: 'phone' }) };
}

/** Pays on one terminal while something is wrong with the other. */
async function paysOnTheOther(harness: StackHarness): Promise<string> {
  const { paying, tap } = await payOn(harness, 1);
  await tap();
  return (await paying).body.response.result;
}

type Fault = (harness: StackHarness) => Promise<string[]>;

const onFirst = (harness: StackHarness, what: string, body: object) =>
  harness.control('POST', `/terminals/${harness.poiId}/${what}`, body);

const faults: [string, Fault][] = [
  [
    'a cut network, found out by the gateway',
    async (harness) => {
      const { paying } = await payOn(harness, 0);
      await onFirst(harness, 'network', { up: false });
      const other = await paysOnTheOther(harness);
      await harness.advance(4 * minute);
      await onFirst(harness, 'network', { up: true });
      await harness.advance(minute);
      return [other, String((await paying).status)];
    },
  ],
  [
    'a power cut in a payment',
    async (harness) => {
      const { paying } = await payOn(harness, 0);
      await onFirst(harness, 'power', { on: false });
      const other = await paysOnTheOther(harness);
      await onFirst(harness, 'power', { on: true });
      await harness.advance(4 * minute);
      return [other, String((await paying).status)];
    },
  ],
  [
    'a slow network',
    async (harness) => {
      await onFirst(harness, 'slow', { latencyMs: 3_000 });
      const { paying } = await payOn(harness, 0);
      const other = await paysOnTheOther(harness);
      await harness.advance(3_000);
      await onFirst(harness, 'tap', { card: 'phone' });
      await harness.advance(minute);
      return [other, (await paying).body.response.result];
    },
  ],
  [
    'a network so slow that the link breaks',
    async (harness) => {
      await onFirst(harness, 'slow', { latencyMs: 6_000 });
      const { paying } = await payOn(harness, 0);
      const other = await paysOnTheOther(harness);
      await harness.advance(4 * minute);
      return [other, String((await paying).status)];
    },
  ],
  [
    'a network that comes and goes',
    async (harness) => {
      await onFirst(harness, 'flap', { times: 5, downMs: 700, upMs: 2_300 });
      const { paying } = await payOn(harness, 0);
      const other = await paysOnTheOther(harness);
      await harness.advance(minute);
      await onFirst(harness, 'tap', { card: 'phone' });
      return [other, (await paying).body.response.result];
    },
  ],
  [
    'a terminal that is deleted',
    async (harness) => {
      await harness.http('DELETE', `/control/terminals/${harness.poiId}`);
      await harness.advance(minute);
      return [await paysOnTheOther(harness)];
    },
  ],
];

async function play(ownLinks: boolean, fault: Fault) {
  const harness = await stackHarness({ ownLinks });
  const from = harness.stack.runtime.journal.latest?.seq ?? 0;
  const start = harness.clock.now();
  const outcome = await fault(harness);
  await harness.settled();
  const happened = harness.stack.runtime.journal
    .since(from)
    .filter(({ kind }) => !kind.startsWith('http.'))
    .map(({ at, kind, terminal, data }) => {
      const { message, event, state, code, reason, result, why } = data as Record<string, unknown>;
      return JSON.stringify([at - start, kind, terminal, message, event, state, code, reason, result, why]);
    });
  return { outcome, happened };
}

test.each(faults)('%s affects only one terminal, as on a separate socket (B165)', async (_what, fault) => {
  const [shared, own] = [await play(false, fault), await play(true, fault)];
  expect(shared.outcome[0]).toBe('success');
  expect(shared.outcome).toEqual(own.outcome);
  // Events of the same moment may come in any order, because the effects of two messages are not awaited in between.
  expect(shared.happened.toSorted()).toEqual(own.happened.toSorted());
});
