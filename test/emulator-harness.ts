import { onTestFinished } from 'vitest';
import { createRuntime } from '../shared/create-runtime.ts';
import type { TerminalKey } from '../shared/emulator/screen.ts';
import type { Timeouts } from '../shared/timeouts.ts';
import type { VirtualClock } from '../shared/virtual-clock.ts';
import { type EmulatorOptions, instantPacing, startTerminalEmulator } from '../terminal-emulator/index.ts';
import { startScriptedGateway } from './scripted-gateway.ts';

export const poiId = 'V400m-100000001';

/** Starts an emulator with one terminal, connected to a scripted gateway over real sockets, in virtual time. */
export async function emulatorHarness(
  options: Partial<EmulatorOptions> & { timeouts?: Partial<Timeouts> } = {},
) {
  const { timeouts, ...changes } = options;
  const runtime = createRuntime({ clock: 'virtual', seed: 1, ...(timeouts ? { timeouts } : {}) });
  const clock = runtime.clock as VirtualClock;
  const gateway = await startScriptedGateway(runtime, poiId);
  onTestFinished(() => gateway.close());
  const start = async (more: Partial<EmulatorOptions> = {}) => {
    const settings = {
      gatewayUrl: gateway.url,
      terminals: [{ poiId, deviceKey: 'key' }],
      pacing: instantPacing,
    };
    const emulator = await startTerminalEmulator({ ...settings, ...changes, ...more }, runtime);
    onTestFinished(() => emulator.close());
    await clock.advance(0);
    return emulator;
  };
  const emulator = await start();
  const terminal = emulator.terminal(poiId)!;
  return {
    runtime,
    clock,
    gateway,
    emulator,
    terminal,
    /** Starts another emulator process with the same gateway. */
    start,
    /** Waits until everything that is under way has happened, without advancing the clock. */
    settle: () => clock.advance(0),
    press: (...keys: string[]) =>
      terminal.act({
        action: 'press',
        keys: keys.flatMap((each) => (/^\d+$/.test(each) ? [...each] : [each])) as TerminalKey[],
      }),
    powerCut: () => terminal.act({ action: 'power', on: false }),
    powerOn: () => terminal.act({ action: 'power', on: true }),
  };
}
