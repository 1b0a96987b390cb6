import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { sampleOrder } from '../payment/payment-harness.fixture.ts';
import { makeTerminalIdentity } from '../payment/terminal-identity.ts';
import { TerminalMemory } from './memory.ts';
import { recoverAfterPowerCut } from './payment-recovery.ts';
import type { SettledPayment } from './payment-settlement.ts';
import { VolatileState } from './volatile-state.ts';

const poiId = 'V400m-100000001';

/**
 * Makes a terminal whose memory already contains a payment under way when the terminal starts. The first `failures`
 * attempts to store an outcome fail.
 */
async function bootHarness(failures: number) {
  const runtime = createRuntime({ clock: 'virtual' });
  const memory = await TerminalMemory.open(':memory:', runtime);
  onTestFinished(() => memory.close());
  await memory.begin(poiId, sampleOrder.sale);
  const volatile = new VolatileState({ broke: () => {} });
  const asked: SettledPayment[] = [];
  const recalled = recoverAfterPowerCut({
    terminal: makeTerminalIdentity(poiId),
    runtime,
    memory,
    host: { reverse: () => {} },
    outbox: { put: () => {} },
    volatile,
    settle: async (settled) => {
      asked.push(settled);
      if (asked.length <= failures) throw new Error('no space');
    },
  });
  const clock = runtime.clock as VirtualClock;
  await clock.advance(0);
  const warnings = () => runtime.journal.since().filter(({ kind }) => kind === 'warning');
  return { recalled, asked, volatile, warnings, clock, timeouts: runtime.timeouts };
}

test('work that was under way is concluded once the memory accepts it, and a failing memory is reported once', async () => {
  const { recalled, asked, warnings, clock, timeouts } = await bootHarness(2);
  await clock.advance(2 * timeouts.reversalRetryMs);
  expect(await recalled).toBe(true);
  expect(asked).toHaveLength(3);
  expect(asked[2]).toMatchObject({
    sale: sampleOrder.sale,
    response: { Response: { ErrorCondition: 'DeviceOut' } },
  });
  expect(warnings()).toMatchObject([
    { data: { message: expect.stringContaining('stays offline until its memory can be used') } },
  ]);
});

test('a power cut ends the wait for a failing memory, and leaves no timer', async () => {
  const { recalled, volatile, clock } = await bootHarness(1);
  expect(clock.nextDue()).toBeDefined();
  volatile.lose();
  expect(await recalled).toBe(false);
  expect(clock.nextDue()).toBeUndefined();
});
