import { expect, test } from 'vitest';
import { createRuntime } from '../../../shared/create-runtime.ts';
import type { VirtualClock } from '../../../shared/virtual-clock.ts';
import { EmulatorServer } from '../../control/emulator-server.ts';
import type { TerminalCommand } from '../../control/emulators.ts';
import { type HintBus, type HintReply, noHints } from '../hints/hints.ts';
import { EmulatorsEverywhere } from './emulators-everywhere.ts';

/**
 * Opens the object through which one gateway reaches the emulators of all gateways. The test supplies the answers of
 * the other gateways.
 */
function elsewhere(answers: (asked: { command?: object; isThere?: boolean }) => HintReply | undefined) {
  const virtual = createRuntime({ clock: 'virtual', seed: 1 });
  const clock = virtual.clock as VirtualClock;
  const runtime = { ...virtual, realClock: clock };
  const request: HintBus['request'] = (_subject, data, { timeoutMs }) =>
    new Promise((resolve) => {
      const reply = answers(data as object);
      if (reply) resolve(reply);
      else clock.setTimeout(() => resolve({ is: 'silent' }), timeoutMs);
    });
  const keys = { admit: async () => ({ refuse: 401, reason: 'nobody dials' }), holdsKey: () => false };
  const here = new EmulatorServer(runtime, keys);
  return { clock, emulators: new EmulatorsEverywhere({ runtime, here, hints: { ...noHints, request } }) };
}

const press: TerminalCommand = { do: 'act', action: { action: 'press', keys: ['enter'] } };

test.each([
  ['let the terminal go while it was asked', 'nobody', 'No emulator hosts the terminal V400m-1'],
  ['does not even say that it is there', 'silent', 'The gateway that hosts the terminal V400m-1 does not'],
] as const)('a gateway that %s is waited for no longer than necessary', async (_what, is, message) => {
  const { clock, emulators } = elsewhere(({ isThere }) => (isThere ? { is } : undefined));
  const refused = emulators.command('V400m-1', press).catch((error: Error) => error);
  await clock.advance(3_000);
  expect(await refused).toMatchObject({ code: 'conflict', message: expect.stringContaining(message) });
});

test('a gateway that says that it is alive gets as long as an emulator may take', async () => {
  const { clock, emulators } = elsewhere(({ isThere }) => (isThere ? { is: 'answer', data: {} } : undefined));
  let ended = false;
  const refused = emulators.command('V400m-1', press).catch((error: Error) => error);
  void refused.then(() => {
    ended = true;
  });
  await clock.advance(11_999);
  expect(ended).toBe(false);
  await clock.advance(1);
  expect(await refused).toMatchObject({ message: expect.stringContaining('does not answer') });
});
