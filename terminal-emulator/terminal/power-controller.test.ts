import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { emulatorHarness } from '../../test/emulator-harness.ts';
import { instantPacing } from '../index.ts';
import { PowerController } from './power-controller.ts';

const warnings = ({ runtime }: { runtime: Runtime }) =>
  runtime.journal
    .since()
    .filter((entry): entry is JournalEntry<'warning'> => entry.kind === 'warning')
    .map(({ data }) => data.message);

/** Makes a terminal with a defect: it fails when it reads a tapped card. */
async function faultyBench() {
  let faulty = false;
  const pacing = {
    ...instantPacing,
    get readTapMs(): number {
      if (faulty) throw new Error('no antenna');
      return 1;
    },
  };
  const harness = await emulatorHarness({ pacing });
  const setFaulty = (now: boolean) => {
    faulty = now;
  };
  return { ...harness, setFaulty };
}

test('a terminal that fails during a payment restarts, and reports that the payment is lost', async () => {
  const harness = await faultyBench();
  const { gateway, terminal, settle, setFaulty } = harness;
  gateway.pay('1');
  await settle();
  setFaulty(true);
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(gateway.outcomes()).toMatchObject([
    { Response: { Result: 'Failure', ErrorCondition: 'DeviceOut' } },
  ]);
  expect(terminal.state).toBe('idle');
  expect(warnings(harness)).toEqual([
    expect.stringMatching(/^the terminal failed and restarts: Error: no antenna\n/),
  ]);
});

test('a terminal that restarted after a failure accepts the next payment', async () => {
  const { gateway, terminal, clock, settle, setFaulty } = await faultyBench();
  gateway.pay('1');
  await settle();
  setFaulty(true);
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  setFaulty(false);
  gateway.pay('2');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await clock.advance(1);
  expect(gateway.outcomes().map(({ Response }) => Response.Result)).toEqual(['Failure', 'Success']);
});

test('a listener that fails does not affect the terminal', async () => {
  const harness = await emulatorHarness();
  const { gateway, terminal, settle } = harness;
  terminal.onScreen(({ state }) => {
    if (state === 'presentCard') throw new Error('no window');
  });
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { Result: 'Success' } }]);
  expect(warnings(harness)[0]).toMatch(/^a listener of the terminal failed: Error: no window\n/);
});

test('a terminal that fails while it switches off is off, says so, and can be switched on', () => {
  const runtime = createRuntime({ clock: 'virtual' });
  const power: PowerController = new PowerController(
    { poiId: 'V400m-100000001', runtime, startMs: 0 },
    {
      boot: () => {},
      loseVolatile: () => {
        throw new Error('no line to drop');
      },
      changed: () => {},
    },
  );
  onTestFinished(() => power.stop());
  power.send({ type: 'power.on' });
  power.send({ type: 'power.off' });
  expect(power.state).toBe('off');
  expect(warnings({ runtime })).toEqual([
    expect.stringMatching(/^the terminal failed while it was switched off: Error: no line to drop\n/),
  ]);
  power.send({ type: 'power.on' });
  expect(power.state).toBe('offline');
});
