import { setImmediate as turnEnd } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findScenarios, type ScenarioResult, startLocalEnvironment } from '../../scenarios/index.ts';
import { runScenarioInTui } from './slow.ts';

test('a screen that cannot be shown ends the run with its error, after the scenario', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const environment = await startLocalEnvironment({});
  onTestFinished(() => environment.close());
  const { stack } = environment;
  const missing = { ...stack.terminals[0]!, poiId: 'V400m-9' };
  const [scenario] = findScenarios(['scenarios/library/paying/chip-and-pin.yaml']);
  const run = runScenarioInTui(
    scenario!,
    async ({ onStart }) => {
      await onStart?.({ ...environment, stack: { ...stack, terminals: [missing] } });
      await turnEnd();
      return {} as ScenarioResult;
    },
    { hurry: new AbortController().signal, quit: () => {} },
  );
  await expect(run).rejects.toThrow('no terminal V400m-9 here');
  expect(unhandled).not.toHaveBeenCalled();
});
