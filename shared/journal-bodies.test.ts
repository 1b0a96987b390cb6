import { expect, test } from 'vitest';
import { JournalBodyStore } from './journal-bodies.ts';

test.each([100, 4_096, 4_097, 90_000])('a body of %i characters is read as it was stored', (length) => {
  const bodies = new JournalBodyStore();
  const texts = ['a', 'é', '€'].map((sign) => sign.repeat(length));
  const kept = texts.map((text) => bodies.keep(text, (read) => read));
  expect(kept.map((each) => each.read())).toEqual(texts);
});

test('a long body takes no more memory than its bytes', () => {
  const bodies = new JournalBodyStore();
  const text = 'x'.repeat(90_000);
  const before = process.memoryUsage().arrayBuffers;
  const kept = Array.from({ length: 200 }, () => bodies.keep(text, (read) => read));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1.5 * kept.length * text.length);
});
