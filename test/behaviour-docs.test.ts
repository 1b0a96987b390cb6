import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** docs/behaviour.md has every decision: those of the sources' comments, and none is left out in between. */

const root = join(import.meta.dirname, '..');
const rows = readFileSync(join(root, 'docs/behaviour.md'), 'utf8').matchAll(
  /^\| (\d+[a-c]?(?:, \d+[a-c]?)*) \| (.+) \| (.+) \| (.+) \|$/gm,
);
const reported = new Set(Array.from(rows, ([, numbers = '']) => numbers.split(', ')).flat());
/** The last one there is, and those that were put between others. */
const [last, between] = [66, ['40a', '40b', '40c']];

test('every decision has a row', () => {
  const numbers = Array.from({ length: last }, (_, index) => String(index + 1));
  expect([...numbers, ...between].filter((number) => !reported.has(number))).toEqual([]);
  expect([...reported].filter((number) => Number.parseInt(number, 10) > last)).toEqual([]);
});

test('every decision that a comment cites has a row', () => {
  const rooms = ['cli', 'gateway', 'shared', 'stack', 'scenarios', 'terminal-emulator', 'testing', 'test'];
  const texts = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, room, name), 'utf8')),
  );
  const cited = texts.flatMap((text) =>
    Array.from(
      text.matchAll(/\bdecisions? (\d+[a-c]?)(?:,? (?:to|and) (\d+[a-c]?))?/gi),
      ([, ...numbers]) => numbers,
    ),
  );
  const numbers = new Set(cited.flat().filter((number) => number !== undefined));
  expect(numbers.size).toBeGreaterThan(50);
  expect([...numbers].filter((number) => !reported.has(number))).toEqual([]);
});

test('every row of a choice has a number', () => {
  const page = readFileSync(join(root, 'docs/behaviour.md'), 'utf8');
  const without = page.split('\n').filter((line) => line.startsWith('|') && !/^\|( #| \d|---)/.test(line));
  expect(without).toEqual([]);
});
