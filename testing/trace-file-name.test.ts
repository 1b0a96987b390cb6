import { expect, test } from 'vitest';
import { traceFileName } from './trace-file-name.ts';

test('a trace has the name of its test in letters and digits', () => {
  expect(traceFileName('A tap of 12.50 is approved (B1)')).toBe('a-tap-of-12-50-is-approved-b1.html');
  expect(traceFileName('Café – paid')).toBe('cafe-paid.html');
});

test('tests whose names have no Latin letters, or begin alike and are very long, have separate files', () => {
  const long = 'a very long name '.repeat(20);
  const names = ['支払い', '返金', 'paid 支払い', 'paid 返金', `${long}one`, `${long}two`, '!!!', '???'];
  const files = names.map(traceFileName);
  expect(new Set(files).size).toBe(names.length);
  for (const file of files) expect(file).toMatch(/^[a-z0-9][a-z0-9-]{0,119}\.html$/);
});
