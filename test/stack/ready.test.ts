import { expect, onTestFinished, test } from 'vitest';
import { resolveConfig, startStack } from '../../stack/index.ts';

test.each(['real', 'virtual'] as const)(
  'if time is %s, the control API reaches every terminal of a stack that has started',
  async (clock) => {
    const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, clock }));
    onTestFinished(() => stack.close());
    const poiIds = stack.terminals.map(({ poiId }) => poiId);
    expect(poiIds.filter((poiId) => !stack.gateway.emulators.hosts(poiId))).toEqual([]);
  },
);
