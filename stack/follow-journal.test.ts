import { expect, onTestFinished, test } from 'vitest';
import { readJournal } from './follow-journal.ts';
import { resolveConfig } from './resolve-config.ts';
import { startStack } from './start-stack.ts';

test('a journal that is longer than one answer is read to its end', async () => {
  const config = resolveConfig(undefined, { port: 0, memory: true });
  const stack = await startStack({ ...config, journal: { entries: 25_000 } }, { terminals: false });
  onTestFinished(() => stack.close());
  const { journal } = stack.gateway.runtime;
  for (let number = 0; number < 20_500; number++) journal.add('warning', { message: `${number}` });
  const read = await readJournal(stack.gateway);
  expect(read.length).toBeGreaterThan(20_500);
  expect(read.findLast(({ kind }) => kind === 'warning')?.data).toEqual({ message: '20499' });
});
