import { expect, test } from 'vitest';
import { RecordedStepList } from './recording.ts';

test('a result long after the last step gets a time limit, and passing time gets none', () => {
  const recording = new RecordedStepList();
  recording.add(0, 'pay 12.50');
  recording.expect(10_000, { pass: '2 min' }, { expect: { books: 'told' } });
  expect(recording.steps.map(({ step }) => step)).toEqual([
    'pay 12.50',
    { pass: '2 min' },
    { expect: { books: 'told' }, within: '15 s' },
  ]);
});
