import { expect, test } from 'vitest';
import { couldTipExceedLimit } from '../core/tip-limit.ts';
import { gratuitySchema, makeTipPrompt } from './gratuity.ts';

const percentage = (value?: number) => ({ type: 'percentage', value });
const fixed = (value: number) => ({ type: 'fixed', value });
const custom = { type: 'custom' };
const faults = (options: unknown) =>
  gratuitySchema
    .safeParse({ enabled: true, options })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

test.each([
  [[percentage(15)]],
  [[percentage(0.5), percentage(100), percentage(33.333333)]],
  [[percentage(10), percentage(15), percentage(20), custom]],
  [[fixed(1), fixed(2.5), custom]],
  [[custom]],
  [[custom, percentage(10)]],
])('the options %j are accepted (B23)', (options) => {
  expect(faults(options)).toEqual([]);
});

test.each([
  [[], 'options: must have at least one option, or be left out'],
  [
    [percentage(1), percentage(2), percentage(3), percentage(4)],
    'options: must have at most three numerical options',
  ],
  [[custom, custom], 'options: must have at most one custom option'],
  [[percentage(10), fixed(2)], 'options: must have numerical options that are all percentage or all fixed'],
  [[percentage()], 'options.0.value: percentage needs a value'],
  [[percentage(0)], 'options.0.value: must be above 0'],
  [[fixed(-1)], 'options.0.value: must be above 0'],
  [[percentage(100.5)], 'options.0.value: must be at most 100'],
  [[percentage(1.2345678)], 'options.0.value: must have at most six decimals'],
])('the options %j are refused (B23, B25)', (options, message) => {
  expect(faults(options)).toEqual([message]);
});

test('without options the prompt offers 15, 18, 20 and custom (B22)', () => {
  expect(makeTipPrompt({ enabled: true }, 'EUR', 9)).toEqual({
    percentages: [15, 18, 20],
    custom: true,
    maximumTotal: 9,
  });
});

test('a request without gratuity, or with it disabled, gives no prompt (B22)', () => {
  expect(makeTipPrompt(undefined, 'EUR', 9)).toBeUndefined();
  expect(makeTipPrompt({ enabled: false }, 'EUR', 9)).toBeUndefined();
});

test('fixed tips are read in the currency, and refused if they have too many decimals (B24)', () => {
  const options = [fixed(1.5), { type: 'custom' }] as never;
  expect(makeTipPrompt({ enabled: true, options }, 'EUR', 9)).toEqual({
    fixed: [150],
    custom: true,
    maximumTotal: 9,
  });
  expect(makeTipPrompt({ enabled: true, options }, 'JPY', 9)).toEqual({ fault: 'tooManyDecimals', index: 0 });
});

test('percentages, rounded half up, can exceed the limit, and a custom tip cannot (B25, B27)', () => {
  const prompt = (percent: number, maximumTotal: number) => ({
    percentages: [percent],
    custom: true,
    maximumTotal,
  });
  expect(couldTipExceedLimit(1000, prompt(15, 1150))).toBe(false);
  expect(couldTipExceedLimit(1000, prompt(15, 1149))).toBe(true);
  expect(couldTipExceedLimit(1010, prompt(15, 1161))).toBe(true);
  expect(couldTipExceedLimit(1010, prompt(15, 1162))).toBe(false);
  expect(couldTipExceedLimit(1000, { custom: true, maximumTotal: 1000 })).toBe(false);
});
