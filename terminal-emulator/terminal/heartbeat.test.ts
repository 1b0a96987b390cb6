import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { poiId } from '../../test/emulator-harness.ts';
import { startScriptedGateway } from '../../test/scripted-gateway.ts';
import { instantPacing, startTerminalEmulator } from '../index.ts';

test('an idle terminal notices a gateway that died without closing the link, and dials again', async () => {
  const virtual = createRuntime({ clock: 'virtual', seed: 1, timeouts: { reconnectMaxMs: 1000 } });
  const clock = virtual.clock as VirtualClock;
  const gateway = await startScriptedGateway(virtual, poiId);
  onTestFinished(() => gateway.close());
  const realTime = {
    virtual: false,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    elapsedSince: (momentMs: number) => clock.elapsedSince(momentMs),
    setTimeout: (run: () => void, delayMs: number) => clock.setTimeout(run, delayMs),
    clearTimeout: (timer: unknown) => clock.clearTimeout(timer),
  };
  const emulator = await startTerminalEmulator(
    {
      gatewayUrl: gateway.url,
      terminals: [{ poiId, deviceKey: 'k' }],
      pacing: instantPacing,
      remoteControl: false,
    },
    { ...virtual, clock: realTime },
  );
  onTestFinished(() => emulator.close());
  await clock.advance(120_000);
  expect(gateway.links).toHaveLength(1);
  gateway.links[0]?.cut();
  await clock.advance(120_000);
  expect(gateway.links).toHaveLength(2);
  expect(emulator.terminal(poiId)?.screen().state).toBe('idle');
});
