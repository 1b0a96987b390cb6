import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { SecretRedactor } from './hidden-secrets.ts';
import type { Tool, ToolCallContext } from './tool.ts';
import { ToolRunner } from './toolbox.ts';

const call: ToolCallContext = { signal: new AbortController().signal, progress: () => {} };

function setup(tools: readonly (Partial<Tool> & { name: string })[]) {
  const clock = new VirtualClock({ startMs: 0 });
  let made = 0;
  const whole = tools.map((tool) => ({
    ...{ description: '', properties: {}, reads: false, run: async () => ({ says: 'done' }) },
    ...tool,
  }));
  const temporary = { make: () => void made++ };
  const toolbox = new ToolRunner(whole, { hidden: new SecretRedactor(), clock, temporary });
  return { clock, toolbox, made: () => made };
}

test('an exploration ends after 10 minutes, and the next one can begin (B520)', async () => {
  const untilAborted: Tool['run'] = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ says: 'ended early' })));
  const { clock, toolbox } = setup([{ name: 'explore', run: untilAborted }]);
  const first = toolbox.call('explore', {}, call);
  expect((await toolbox.call('explore', {}, call)).text).toContain('explore is');
  await clock.advance(599_999);
  expect(await Promise.race([first, 'still running'])).toBe('still running');
  await clock.advance(1);
  expect((await first).text).toContain('ended early');
  const second = toolbox.call('explore', {}, call);
  await clock.advance(600_000);
  expect((await second).isError).toBe(false);
});

test('a folder is made only for tools that may write temporary files (B525)', async () => {
  const { toolbox, made } = setup([{ name: 'act' }, { name: 'run', keepsFiles: true }]);
  await toolbox.call('act', {}, call);
  expect(made()).toBe(0);
  await toolbox.call('run', {}, call);
  expect(made()).toBe(1);
});
