import type { Language, TerminalKey } from '../../shared/emulator/screen.ts';
import { memoize } from '../../shared/memoize.ts';
import { computePercentOfMinor, formatMoney } from '../../shared/money.ts';
import type { SaleToPoiData } from '../../shared/nexo/sale-to-poi-data.ts';
import { locales } from './locales.ts';
import { countColumns } from './text-fit.ts';

type Gratuity = NonNullable<SaleToPoiData['gratuity']>;

/** One choice on the tip screen. */
export interface TipChoice {
  key: TerminalKey;
  kind: 'percentage' | 'fixed' | 'custom' | 'none';
  /** The tip in minor units. It is 0 for no tip, and absent for the custom tip, which the shopper types afterwards. */
  amountMinor?: number;
  label: string;
  row: number;
  column: number;
}

/** The width of one choice, in columns. Two choices stand side by side, each with its key in front. */
const choiceColumns = 14;

/**
 * Gives the choices of the tip screen (B23): at most three amounts or percentages, and then the custom tip if it is
 * allowed. They are placed from left to right in two rows. Below them is "no tip", which is always offered (B25).
 * Percentages are taken of `requestedMinor` and rounded half up.
 */
export function makeTipChoices(
  gratuity: Gratuity,
  requestedMinor: number,
  currency: string,
  language: Language,
): TipChoice[] {
  const options: Omit<TipChoice, 'key' | 'row' | 'column'>[] = [
    ...numericalOptions(gratuity, requestedMinor, currency, language),
    ...(gratuity.custom ? [{ kind: 'custom' as const, label: locales[language].customTip }] : []),
  ];
  const keys: TerminalKey[] = ['1', '2', '3', '4'];
  return [
    ...options.map((option, at) => ({ key: keys[at]!, ...option, row: Math.floor(at / 2), column: at % 2 })),
    { key: 'enter', kind: 'none', amountMinor: 0, label: locales[language].noTip, row: 2, column: 0 },
  ];
}

function numericalOptions(
  { percentages = [], fixed = [] }: Gratuity,
  requestedMinor: number,
  currency: string,
  language: Language,
): Omit<TipChoice, 'key' | 'row' | 'column'>[] {
  const money = (minor: number) => formatMoney(minor, currency, language);
  if (percentages.length === 0) {
    return fixed
      .slice(0, 3)
      .map((amountMinor) => ({ kind: 'fixed', amountMinor, label: money(amountMinor) }));
  }
  return percentages.slice(0, 3).map((percentage) => {
    const amountMinor = computePercentOfMinor(requestedMinor, percentage);
    const percent = formatPercent(percentage, language);
    const withAmount = `${percent} ${money(amountMinor)}`;
    return {
      kind: 'percentage',
      amountMinor,
      label: countColumns(withAmount) <= choiceColumns ? withAmount : percent,
    };
  });
}

const percentFormat = memoize(
  (language: Language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 6 }),
);

function formatPercent(percentage: number, language: Language): string {
  return percentFormat(language)
    .format(percentage / 100)
    .replaceAll(/[\u00a0\u202f]/g, ' ');
}
