import { percentOf } from '../../../shared/money.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';

/** The tips that a terminal offers, and the total that they must not exceed. */
export type TipPrompt = NonNullable<SaleToPoiData['gratuity']>;

/** The tips that a terminal offers if the point of sale names none (B22). */
export function usualTips(maximumTotal: number): TipPrompt {
  return { percentages: [15, 18, 20], custom: true, maximumTotal };
}

/**
 * Whether an option of the tips could raise the total above the limit. An amount that the shopper types does not count
 * (B26, B27).
 */
export function tipCouldExceed(amount: number, prompt: TipPrompt | undefined): boolean {
  return prompt !== undefined && tipAbove(prompt.maximumTotal, amount, prompt) !== undefined;
}

/** Finds an option whose value raises the total above `maximum`; undefined if none does. */
export function tipAbove(maximum: number, amount: number, prompt: TipPrompt | undefined): number | undefined {
  const { fixed = [], percentages = [] } = prompt ?? {};
  const tips = [...fixed, ...percentages.map((percent) => percentOf(amount, percent))];
  const first = tips.findIndex((tip) => amount + tip > maximum);
  return first < 0 ? undefined : first;
}
