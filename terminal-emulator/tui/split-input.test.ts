import { expect, test } from 'vitest';
import { splitInput } from './split-input.ts';

test.each([
  ['1234\r', ['1', '2', '3', '4', '\r']],
  ['\x1b[A\x1b[B', ['\x1b[A', '\x1b[B']],
  ['\x1bOP2', ['\x1bOP', '2']],
  ['\x1b[<0;3;4M\x1b[<0;3;4m7', ['\x1b[<0;3;4M', '\x1b[<0;3;4m', '7']],
  ['\x1b[M #!x', ['\x1b[M #!', 'x']],
  ['\x1bi', ['\x1b', 'i']],
  ['\x1b', ['\x1b']],
  ['\x1b[15~é', ['\x1b[15~', 'é']],
  ['\x1b[200~5\x1b[201~', ['\x1b[200~', '5', '\x1b[201~']],
  ['\x1bO5P', ['\x1bO5P']],
  ['\x1b[%B47', ['\x1b', '[', '%', 'B', '4', '7']],
  ['\x1bO%B47', ['\x1b', 'O', '%', 'B', '4', '7']],
  ['\x1b[;47=2\r', ['\x1b', '[', ';', '4', '7', '=', '2', '\r']],
  [`\x1b[;${'4'.repeat(30)}`, ['\x1b', '[', ';', ...'4'.repeat(30)]],
])('the input %j is split into %j', (chunk, pieces) => {
  expect(splitInput(chunk)).toEqual({ pieces, rest: '' });
});

test('an incomplete sequence is kept for the next chunk', () => {
  const { pieces, rest } = splitInput('5\x1b[<0;3');
  expect({ pieces, rest }).toEqual({ pieces: ['5'], rest: '\x1b[<0;3' });
  expect(splitInput(`${rest};4M`)).toEqual({ pieces: ['\x1b[<0;3;4M'], rest: '' });
});

test('a pointer that moves with a button down does not count as a click', () => {
  expect(splitInput('\x1b[<32;3;4M\x1b[<35;3;5M').pieces).toEqual([]);
});
