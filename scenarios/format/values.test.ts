import { expect, test } from 'vitest';
import { durationSchema } from './values.ts';

test('a time span is at most ten years', () => {
  expect(durationSchema.safeParse('3650 days').success).toBe(true);
  for (const text of ['3651 days', `${'9'.repeat(300)} ms`])
    expect(durationSchema.safeParse(text).error?.issues[0]?.message).toBe('must be at most 3650 days');
});

test('an invalid time span is refused for that reason only', () => {
  const issues = durationSchema.safeParse('5 seconds').error?.issues;
  expect(issues?.map(({ message }) => message)).toEqual([expect.stringMatching(/^must be a time such as/)]);
});
