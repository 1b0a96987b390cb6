import fc from 'fast-check';

/**
 * Draws any possible character. Fast-check's own `binary` would first make a table of all characters, which takes a
 * second.
 */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Text that has surprised parsers before. */
export const nastyText = fc.oneof(
  fc.string({ unit: character, maxLength: 60 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ufeff{}',
    '%',
    '%00',
    '../../etc/passwd',
    '__proto__',
    'constructor',
    "' OR 1=1 --",
    '𝕏'.repeat(40),
    'a'.repeat(5_000),
    '-0',
    '1e999',
  ),
);

export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    -1e-7,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    [[]],
    [null],
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
  fc.dictionary(nastyText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
);

/** Texts that are valid JSON but no message. */
export const nastyJson = fc.oneof(
  nastyValue.map((value) => JSON.stringify(value)),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 9_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.constantFrom(
    '{"__proto__":{"admin":true}}',
    '1e999',
    '{"a":1,"a":2}',
    '"\\ud800"',
    '{',
    'NaN',
    "{'a':1}",
  ),
);

/**
 * A change to one field of an object. The numbers in `path` choose the field, so that fast-check can shrink the
 * change.
 */
export interface FieldMutation {
  readonly path: readonly number[];
  readonly how: { remove: true } | { set: unknown } | { add: [name: string, value: unknown] };
}

export const fieldMutation: fc.Arbitrary<FieldMutation> = fc.record({
  path: fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 5 }),
  how: fc.oneof(
    fc.constant({ remove: true as const }),
    nastyValue.map((set) => ({ set })),
    fc.tuple(nastyText, nastyValue).map((add) => ({ add })),
  ),
});

/** Returns a copy of the value with one field changed. */
export function applyFieldMutation(value: unknown, { path, how }: FieldMutation): unknown {
  const copy = structuredClone(value);
  let at = copy;
  for (const [depth, choice] of path.entries()) {
    if (typeof at !== 'object' || at === null) return how && 'set' in how ? how.set : copy;
    const names = Object.keys(at);
    const name = names[choice % names.length];
    if (name === undefined) break;
    const holder = at as Record<string, unknown>;
    const next = holder[name];
    if (depth < path.length - 1 && typeof next === 'object' && next !== null) {
      at = next;
      continue;
    }
    if ('remove' in how) delete holder[name];
    else if ('set' in how) holder[name] = how.set;
    else Object.defineProperty(holder, how.add[0], { value: how.add[1], enumerable: true });
    break;
  }
  return copy;
}
