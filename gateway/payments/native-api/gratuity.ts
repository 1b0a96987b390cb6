import { z } from 'zod';
import { type AmountFault, majorToMinorOrFault } from '../../../shared/money.ts';
import { makeDefaultTips, type TipPrompt } from '../core/tip-limit.ts';

const numericalTypes = ['percentage', 'fixed'] as const;

const option = z
  .object({
    type: z.enum([...numericalTypes, 'custom']),
    value: z.number().optional().meta({
      description:
        'The size of the tip. With percentage, 15 means 15 %. With fixed, the value is an amount in major units. With custom, the value is absent',
    }),
  })
  .check(({ value: { type, value }, issues, value: input }) => {
    const fault = (message: string) => issues.push({ code: 'custom', path: ['value'], message, input });
    if (type === 'custom') return;
    if (value === undefined) fault(`${type} needs a value`);
    else if (value <= 0) fault('must be above 0');
    else if (type === 'percentage' && value > 100) fault('must be at most 100');
    else if (type === 'percentage' && !hasAtMostSixDecimals(value)) fault('must have at most six decimals');
  });
type Option = z.infer<typeof option>;

/** The tips from which the shopper can choose at the terminal (B22–B27). */
export const gratuitySchema = z
  .object({
    enabled: z.boolean(),
    options: z
      .array(option)
      .min(1, 'must have at least one option, or be left out')
      .superRefine((options, context) => {
        for (const message of faults(options)) context.addIssue({ code: 'custom', message });
      })
      .optional()
      .meta({ description: 'Default: 15, 18 and 20 percent, and custom' }),
  })
  .meta({
    id: 'Gratuity',
    description:
      'The tip prompt. It has at most three numerical options, all percentage or all fixed, and at most one custom option',
  });
export type Gratuity = z.infer<typeof gratuitySchema>;

/**
 * Checks the tip options. Returns a message about the first rule that the options break. Returns no message if they
 * break no rule (B23).
 */
function faults(options: Option[]): string[] {
  const numerical = options.filter(isNumericalOption);
  if (numerical.length > 3) return ['must have at most three numerical options'];
  if (options.length - numerical.length > 1) return ['must have at most one custom option'];
  if (new Set(numerical.map(({ type }) => type)).size > 1)
    return ['must have numerical options that are all percentage or all fixed'];
  return [];
}

/** Returns whether an option has a value. An option for a tip that the shopper types has no value. */
export function isNumericalOption({ type }: Option): boolean {
  return type !== 'custom';
}

function hasAtMostSixDecimals(value: number): boolean {
  return Number(value.toFixed(6)) === value;
}

/**
 * Makes the tips that the terminal offers. Fixed tips are in minor units. Returns undefined if the terminal offers no
 * tips. If a fixed value is not an amount of the currency, returns the fault and the index of the option.
 */
export function makeTipPrompt(
  request: Gratuity | undefined,
  currency: string,
  maximumTotal: number,
): TipPrompt | undefined | { fault: AmountFault; index: number } {
  if (!request?.enabled) return undefined;
  if (!request.options) return makeDefaultTips(maximumTotal);
  const prompt: TipPrompt = { custom: false, maximumTotal };
  for (const [index, { type, value = 0 }] of request.options.entries()) {
    if (type === 'custom') prompt.custom = true;
    else if (type === 'percentage') prompt.percentages = [...(prompt.percentages ?? []), value];
    else {
      const minor = majorToMinorOrFault(value, currency);
      if (typeof minor === 'string') return { fault: minor, index };
      prompt.fixed = [...(prompt.fixed ?? []), minor];
    }
  }
  return prompt;
}
