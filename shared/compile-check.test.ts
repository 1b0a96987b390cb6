import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compileSchemaCheck } from './compile-check.ts';

const known = z.object({
  id: z.uuid(),
  text: z.string().min(1).max(5),
  code: z.string().regex(/^[A-Z]{3}$/),
  amount: z.number().min(0).max(99.5),
  count: z.int().positive(),
  flag: z.literal(false),
  mode: z.enum(['once', 'always']),
  few: z.array(z.string()).min(1).max(2),
  inner: z.object({ deep: z.boolean().optional() }).optional(),
  act: z.discriminatedUnion('do', [
    z.object({ do: z.literal('press'), keys: z.array(z.enum(['1', '2'])) }),
    z.object({ do: z.literal('remove') }),
  ]),
});
const example: z.infer<typeof known> = {
  id: '019b78ce-9280-7000-8000-5f3759df0003',
  text: 'text',
  code: 'EUR',
  amount: 12.5,
  count: 3,
  flag: false,
  mode: 'once',
  few: ['one'],
  inner: { deep: true },
  act: { do: 'press', keys: ['1', '2'] },
};

/**
 * Generates copies of {@link example} with changes. In each copy, parts of the example are replaced, left out or added
 * at any depth.
 */
const changed = fc
  .array(
    fc.record({
      at: fc.array(fc.nat(12), { maxLength: 3 }),
      by: fc.oneof(
        fc.constant(undefined),
        fc.constantFrom<unknown>(
          'EUR',
          '',
          '1',
          'press',
          'remove',
          'always',
          'a long text',
          false,
          true,
          0,
          -1,
        ),
        fc.constantFrom<unknown>(1.5, 100, 1e300, null, [], {}, ['1'], ['a', 'b', 'c'], { deep: 1 }),
        fc.constantFrom<unknown>(
          { deep: false },
          { do: 'remove' },
          { do: 'press' },
          { do: 'remove', keys: [] },
        ),
        fc.jsonValue(),
      ),
      name: fc.option(fc.constantFrom('more', '__proto__', 'toString', 'do', 'id')),
    }),
    { maxLength: 3 },
  )
  .map((changes) => changes.reduce(change, JSON.parse(JSON.stringify(example)) as unknown));

function change(value: unknown, step: { at: number[]; by: unknown; name: string | null }): unknown {
  if (typeof value !== 'object' || value === null || step.at.length === 0)
    return step.by === undefined ? value : step.by;
  const [nth = 0, ...at] = step.at;
  const names = Object.keys(value);
  const name = step.name ?? names[nth % Math.max(1, names.length)] ?? 'more';
  const inner = change((value as Record<string, unknown>)[name], { ...step, at });
  return JSON.parse(
    JSON.stringify(
      Array.isArray(value)
        ? value.map((one, index) => (index === nth ? inner : one))
        : { ...value, [name]: step.by === undefined && at.length === 0 ? undefined : inner },
    ),
  );
}

test('a value fits exactly if parsing returns the same value, for every kind of rule', () => {
  const fitsKnown = compileSchemaCheck(known);
  expect(fitsKnown(example)).toBe(true);
  let fitting = 0;
  fc.assert(
    fc.property(changed, (value) => {
      const parsed = known.safeParse(value);
      const same = parsed.success && JSON.stringify(sorted(parsed.data)) === JSON.stringify(sorted(value));
      if (fitsKnown(value)) fitting++;
      expect(fitsKnown(value)).toBe(same);
    }),
    { numRuns: 3000 },
  );
  expect(fitting).toBeGreaterThan(100);
});

test.each<[keyof typeof example, unknown[]]>([
  ['id', ['019b78ce-9280-7000-8000', 1]],
  ['text', ['', 'longer', null]],
  ['code', ['eur', 'EURO']],
  ['amount', [-0.5, 99.6, Number.NaN, Number.POSITIVE_INFINITY, '1']],
  ['count', [0, 1.5, 2 ** 53]],
  ['flag', [true, 0]],
  ['mode', ['never', 1]],
  ['few', [[], ['a', 'b', 'c'], [1], { length: 1 }]],
  ['inner', [null, [], { deep: 1 }, { deep: true, more: 1 }]],
  [
    'act',
    [null, {}, { do: 'go' }, { do: 'press' }, { do: 'press', keys: ['3'] }, { do: 'remove', keys: [] }],
  ],
])('%s of %j does not fit', (name, values) => {
  for (const value of values) expect(compileSchemaCheck(known)({ ...example, [name]: value })).toBe(false);
});

describe('a value never counts as fitting a schema', () => {
  test.each<[string, z.ZodType, unknown]>([
    ['that changes the value', z.string().trim(), 'text'],
    ['that fills in', z.object({ mode: z.string().default('once') }), { mode: 'once' }],
    ['that converts', z.coerce.number(), 1],
    ['with a rule of its own', z.string().refine((text) => text !== ''), 'text'],
    ['with a rule over fields', z.object({ text: z.string() }).refine(() => true), { text: '' }],
    ['with a rule over a list', z.array(z.string()).refine(() => true), []],
    ['of a format that is more than a pattern', z.url(), 'https://example.com'],
    ['that refuses unknown fields', z.strictObject({ text: z.string() }), { text: '' }],
    ['that keeps unknown fields', z.looseObject({ text: z.string() }), { text: '' }],
    ['of anything', z.unknown(), 1],
    ['of one or the other', z.union([z.string(), z.number()]), 1],
    ['of text and number', z.string().transform(Number), '1'],
  ])('%s, because parsing may return another value', (_, schema, value) => {
    expect(schema.safeParse(value).success).toBe(true);
    expect(compileSchemaCheck(schema)(value)).toBe(false);
  });
});

test.each([[undefined], [null], [[]], [[1]], ['text'], [1], [{}]])('%o does not fit an object', (value) => {
  expect(compileSchemaCheck(known)(value)).toBe(false);
});

test("a field that every object inherits does not count as the value's own field", () => {
  const named = z.object({ toString: z.string().optional() });
  expect(compileSchemaCheck(named)({ toString: 'text' })).toBe(true);
  expect(compileSchemaCheck(named)({ constructor: 'text' })).toBe(false);
});

/** Sorts fields, because parsing puts them into the schema's order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return fields.map(([name, inner]) => [name, sorted(inner)]);
}
