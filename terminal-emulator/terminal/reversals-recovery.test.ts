import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UnreadableMessageError } from '../../shared/transport/link.ts';
import { emulatorHarness } from '../../test/emulator-harness.ts';
import { naturalPacing } from '../index.ts';

/**
 * Tests reversals in which the terminal loses power or network, and reversals in which the answer does not arrive
 * (B479).
 */

type Harness = Awaited<ReturnType<typeof emulatorHarness>>;

const asked = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Refund' ? [body] : []));
const takenBack = ({ gateway }: Harness) =>
  gateway.of('AcquirerRequest').flatMap(({ body }) => (body.Type === 'Reverse' ? [body] : []));
const said = ({ gateway }: Harness) =>
  gateway.reversals().map(({ Response }) => Response.ErrorCondition ?? Response.Result);

/**
 * The possible results of a reversal if the power is cut at a step. The keys are the steps (moments) of a reversal at
 * its terminal.
 */
const atMoments = [
  ['before.begun', []],
  // The terminal stores the request, and right after that the terminal stores that the host will get a request. The
  // power cut may come before or after the second write, so there are two possible results.
  ['after.begun', ['DeviceOut', 'Malfunction']],
  ['before.attempted', ['DeviceOut']],
  ['after.attempted', ['DeviceOut', 'Malfunction']],
  ['authorizing', ['DeviceOut', 'Malfunction']],
  ['before.settled', ['DeviceOut', 'Malfunction']],
  ['after.settled', ['Success']],
  ['approved', ['Success']],
  ['printing', ['Success']],
] as const;

test.each(atMoments)('a power cut at the moment %s leads to %j (B479)', async (moment, outcome) => {
  const harness = await emulatorHarness({ pacing: naturalPacing });
  await harness.clock.advance(naturalPacing.startMs);
  harness.emulator.moments.set({ action: 'powerOff', moment, backMs: 1_000, after: 0, times: 1 });
  harness.gateway.reverse('1');
  await harness.clock.advance(60_000);
  const reasons = takenBack(harness).map(({ Reason }) => Reason);
  expect([...said(harness), ...reasons]).toEqual(outcome);
  expect(takenBack(harness).map(({ AttemptID }) => AttemptID)).toEqual(
    reasons.map(() => harness.gateway.reversals()[0]?.POIData.AttemptID),
  );
  harness.gateway.reverse('1');
  await harness.clock.advance(60_000);
  expect(said(harness).at(-1)).toBe(outcome[0] ?? 'Success');
  expect(asked(harness).length).toBeLessThanOrEqual(1);
});

test.each(atMoments.filter(([moment]) => moment !== 'printing'))(
  'if the network goes at the moment %s, the reversal continues when it is back',
  async (moment) => {
    const harness = await emulatorHarness({ pacing: naturalPacing });
    await harness.clock.advance(naturalPacing.startMs);
    harness.emulator.moments.set({ action: 'networkOff', moment, backMs: 1_000, after: 0, times: 1 });
    harness.gateway.reverse('1');
    await harness.clock.advance(60_000);
    expect([said(harness), takenBack(harness)]).toEqual([['Success'], []]);
    expect(new Set(asked(harness).map(({ AttemptID }) => AttemptID)).size).toBe(1);
  },
);

test('the answer is sent until it is acknowledged, even by the next process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const memory = join(folder, 'terminals.sqlite');
  const harness = await emulatorHarness({ memory });
  harness.gateway.hold = ({ kind }) => {
    if (kind === 'ReversalResponse') throw new Error('disk full');
    return undefined;
  };
  harness.gateway.reverse('1');
  await harness.settle();
  await harness.emulator.close();
  const sent = harness.gateway.reversals().length;
  expect(sent).toBeGreaterThan(0);
  harness.gateway.hold = () => undefined;
  const again = await harness.start({ memory });
  await harness.clock.advance(1_000);
  expect(harness.gateway.reversals().slice(sent)).toEqual([harness.gateway.reversals()[0]]);
  await again.close();
  await harness.start({ memory });
  await harness.clock.advance(60_000);
  expect(harness.gateway.reversals()).toHaveLength(sent + 1);
  expect(takenBack(harness)).toEqual([]);
});

test('an answer that the gateway cannot read is set aside after three times (B67)', async () => {
  const harness = await emulatorHarness();
  harness.gateway.hold = ({ kind }) => {
    if (kind === 'ReversalResponse') throw new UnreadableMessageError(`${kind} is beyond me`);
    return undefined;
  };
  harness.gateway.reverse('1');
  await harness.clock.advance(3_600_000);
  expect(harness.gateway.reversals()).toHaveLength(3);
});
