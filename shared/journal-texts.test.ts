import { expect, test } from 'vitest';
import { JournalTextCache } from './journal-texts.ts';

function counted(length: number) {
  let count = 0;
  const toJSON = () => {
    count++;
    return 'x'.repeat(length);
  };
  return { entry: { toJSON }, count: () => count };
}

test('an entry is written out once for two readers, and its text is not kept for a single one', () => {
  const texts = new JournalTextCache();
  const { entry, count } = counted(3);
  const [leave] = [texts.read(), texts.of(entry), texts.of(entry)];
  expect(count()).toBe(2);
  const other = texts.read();
  expect([texts.of(entry), texts.of(entry)]).toEqual(['"xxx"', '"xxx"']);
  expect(count()).toBe(3);
  other();
  leave();
  expect([texts.read(), texts.read(), texts.of(entry)].at(-1)).toBe('"xxx"');
  expect(count()).toBe(4);
});

test('only the latest of many texts are kept', () => {
  const texts = new JournalTextCache();
  texts.read();
  texts.read();
  const [first, second, third] = [counted(1_500_000), counted(1_500_000), counted(1_500_000)];
  for (const { entry } of [first, second, third, third, second, first]) texts.of(entry);
  expect([first, second, third].map(({ count }) => count())).toEqual([2, 1, 1]);
});
