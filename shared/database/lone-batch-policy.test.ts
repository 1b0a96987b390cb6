import { expect, test } from 'vitest';
import { BatchThreadPolicy } from './lone-batch-policy.ts';

function afterQuick(batches: number): BatchThreadPolicy {
  const lone = new BatchThreadPolicy(1);
  for (let nth = 0; nth < batches; nth++) lone.written(0.9);
  return lone;
}

test('the serving thread may write a batch after eight quick single batches in a row', () => {
  expect(afterQuick(7).mayBeWrittenHere).toBe(false);
  expect(afterQuick(8).mayBeWrittenHere).toBe(true);
});

test.each([
  ['a write that took a millisecond', (lone: BatchThreadPolicy) => lone.written(1)],
  ['batches that came together', (lone: BatchThreadPolicy) => lone.interrupted()],
])('%s give the writing back to the thread, until eight more quick single batches', (_, meet) => {
  const lone = afterQuick(20);
  meet(lone);
  for (let nth = 0; nth < 8; nth++) {
    expect(lone.mayBeWrittenHere).toBe(false);
    lone.written(0.1);
  }
  expect(lone.mayBeWrittenHere).toBe(true);
});
