import fc from 'fast-check';
import { expect, test } from 'vitest';
import { languages } from '../../shared/emulator/screen.ts';
import { countColumns } from './text-fit.ts';
import { makeTipChoices } from './tip-choices.ts';

const maximumTotal = 1_000_000;
const none = { key: 'enter', kind: 'none', amountMinor: 0, label: 'No tip', row: 2, column: 0 };

test('three percentages and custom fill two rows left to right, custom last (B23)', () => {
  const gratuity = { percentages: [15, 18, 20], custom: true, maximumTotal };
  expect(makeTipChoices(gratuity, 1099, 'EUR', 'en')).toEqual([
    { key: '1', kind: 'percentage', amountMinor: 165, label: '15% €1.65', row: 0, column: 0 },
    { key: '2', kind: 'percentage', amountMinor: 198, label: '18% €1.98', row: 0, column: 1 },
    { key: '3', kind: 'percentage', amountMinor: 220, label: '20% €2.20', row: 1, column: 0 },
    { key: '4', kind: 'custom', label: 'Other', row: 1, column: 1 },
    none,
  ]);
});

test('fixed amounts are shown as amounts of the currency', () => {
  const gratuity = { fixed: [100, 250], custom: false, maximumTotal };
  expect(makeTipChoices(gratuity, 1099, 'JPY', 'en')).toEqual([
    { key: '1', kind: 'fixed', amountMinor: 100, label: '¥100', row: 0, column: 0 },
    { key: '2', kind: 'fixed', amountMinor: 250, label: '¥250', row: 0, column: 1 },
    none,
  ]);
});

test('a percentage of half a minor unit is rounded up', () => {
  const [first] = makeTipChoices({ percentages: [15], custom: false, maximumTotal }, 110, 'EUR', 'en');
  expect(first?.amountMinor).toBe(17);
});

test.each(languages)('the shopper can always choose no tip in %s (B25)', (language) => {
  const choices = makeTipChoices({ custom: false, maximumTotal }, 1099, 'EUR', language);
  expect(choices).toHaveLength(1);
  expect(choices[0]).toMatchObject({ key: 'enter', kind: 'none', amountMinor: 0 });
});

test('a percentage is shown alone if its amount is too long for half a row', () => {
  const gratuity = { percentages: [12.5], custom: false, maximumTotal: 1e12 };
  expect(makeTipChoices(gratuity, 9_999_999_999, 'EUR', 'de')[0]?.label).toBe('12,5 %');
});

const numerical = fc.oneof(
  fc.record({ percentages: fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 3 }) }),
  fc.record({ fixed: fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 3 }) }),
);

test('every allowed layout has its choices in reading order, each with its own key, and fits', () => {
  fc.assert(
    fc.property(
      numerical,
      fc.boolean(),
      fc.integer({ min: 1, max: 100_000 }),
      fc.constantFrom(...languages),
      (options, custom, requestedMinor, language) => {
        const count = Object.values(options)[0]?.length ?? 0;
        const choices = makeTipChoices({ ...options, custom, maximumTotal }, requestedMinor, 'EUR', language);
        const offered = choices.slice(0, -1);
        expect(offered).toHaveLength(count + (custom ? 1 : 0));
        expect(offered.map(({ row, column }) => row * 2 + column)).toEqual(offered.map((_, at) => at));
        expect(offered.findIndex(({ kind }) => kind === 'custom')).toBe(custom ? count : -1);
        expect(new Set(choices.map(({ key }) => key)).size).toBe(choices.length);
        for (const { label } of choices) expect(countColumns(label)).toBeLessThanOrEqual(16);
      },
    ),
    { seed: 9, numRuns: 300 },
  );
});
