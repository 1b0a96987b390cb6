import { computePercentOfMinor } from '../../../shared/money.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';

/** The tips from which the shopper can choose, and the maximum total. */
export type TipPrompt = NonNullable<SaleToPoiData['gratuity']>;

/** Gives the tips that a terminal offers if the POS names no tips (B22). */
export function makeDefaultTips(maximumTotal: number): TipPrompt {
  return { percentages: [15, 18, 20], custom: true, maximumTotal };
}

/**
 * Returns whether one of the offered tips could raise the total above the limit. A tip that the shopper types is not
 * checked (B26, B27).
 */
export function couldTipExceedLimit(amount: number, prompt: TipPrompt | undefined): boolean {
  return prompt !== undefined && findTipIndexAboveMaximum(prompt.maximumTotal, amount, prompt) !== undefined;
}

/**
 * Gives the index of the first offered tip that raises the total above `maximum`. Returns undefined if no tip does so.
 * Fixed tips come before percentages in this count.
 */
export function findTipIndexAboveMaximum(
  maximum: number,
  amount: number,
  prompt: TipPrompt | undefined,
): number | undefined {
  const { fixed = [], percentages = [] } = prompt ?? {};
  const tips = [...fixed, ...percentages.map((percent) => computePercentOfMinor(amount, percent))];
  const first = tips.findIndex((tip) => amount + tip > maximum);
  return first < 0 ? undefined : first;
}
