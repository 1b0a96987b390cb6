import { afterEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { startScriptedGateway } from '../../test/scripted-gateway.ts';
import { createEmulator, type EmulatorOptions, instantPacing } from '../index.ts';

const disposers: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposers.splice(0).reverse()) await dispose();
});

const poiId = 'V400m-100000001';

async function setup(options: Partial<EmulatorOptions> = {}) {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  const clock = runtime.clock as VirtualClock;
  const gateway = await startScriptedGateway(runtime, poiId);
  disposers.push(() => gateway.close());
  const emulator = await createEmulator(
    { gatewayUrl: gateway.url, terminals: [{ poiId, deviceKey: 'key' }], pacing: instantPacing, ...options },
    runtime,
  );
  disposers.push(() => emulator.close());
  const terminal = emulator.terminal(poiId)!;
  await clock.advance(0);
  return { runtime, clock, gateway, emulator, terminal, settle: () => clock.advance(0) };
}

test('a chip payment is approved and answered with receipts', async () => {
  const { gateway, terminal, settle } = await setup();
  gateway.pay('1');
  await settle();
  expect(terminal.screen().state).toBe('presentCard');

  expect(terminal.act({ action: 'insert', card: 'no-pin' })).toBeUndefined();
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { Result: 'Success' } }]);
});
