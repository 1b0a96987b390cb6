import { expect, test } from 'vitest';
import { applyMutation, mutationsOf } from './mutations.ts';

function changes(source: string): string[] {
  return mutationsOf('a.ts', source).map((mutation) => applyMutation(source, mutation));
}

test.each([
  ['const a = b === c;', ['const a = b !== c;']],
  ['const a = b < c && d;', ['const a = b <= c && d;', 'const a = b < c || d;']],
  ['const a = b ?? -1;', ['const a = b && -1;', 'const a = b ?? -2;']],
  ['const a = !b;', ['const a = b;']],
  ['const a = false;', ['const a = true;']],
  ['const a = b?.c;', ['const a = b.c;']],
  ['const a = b?.[c];', ['const a = b[c];']],
  ['const a = b?.(c);', ['const a = b(c);']],
  ['const a = b ? c : d;', ['const a = !(b) ? c : d;']],
  ['if (a) b();', ['if (!(a)) b();', 'if (a) ;']],
  ['a ??= b;', [';', 'a = b;']],
  ['for (; a; b++);', ['for (; a; b--);']],
])('the mutation %s is applied in every possible way', (source, broken) => {
  expect(changes(source)).toEqual(broken);
});

test('text and types are not mutated, and a class still calls its superclass', () => {
  expect(
    changes("const a = 'b' + c;\ntype D = 1 | true;\nclass E extends F { constructor() { super(); } }"),
  ).toEqual([]);
});
