import type { Sale, SaleFinding } from '../../shared/sales/sale.ts';
import { panelRowCount } from './panel-row-count.ts';
import type { TuiState } from './state.ts';

/** Returns the last of the visible sales that have a mistake (B316). */
export function findWrongSaleInView(state: TuiState): Sale | undefined {
  return state.sales.slice(-panelRowCount(state, 'sales')).findLast(isWrong);
}

/**
 * Returns the sales that have a mistake, are above the visible part of the list, and were not opened by the user yet
 * (B363).
 */
export function findUnopenedWrongSalesAbove(state: TuiState): readonly Sale[] {
  const above = state.sales.slice(0, -panelRowCount(state, 'sales'));
  return above.filter((sale) => isWrong(sale) && !state.salesRead.has(sale.saleId));
}

function isWrong({ findings }: Sale): boolean {
  return findings.length > 0;
}

/** Returns the most serious finding about a sale. */
export function findWorstFinding({ findings }: Sale): SaleFinding | undefined {
  return findings.find(({ severity }) => severity === 'error') ?? findings[0];
}

/**
 * Returns a finding in few words, for the notice. The words do not name the request, because the line of the sale
 * already names it.
 */
export function briefFindingText({ rule, what }: SaleFinding): string {
  if (rule === 'refused-request') return whyRefused(what);
  // The end of the text is left out, because it contains idempotency keys, and the line has no room for them.
  if (rule === 'blind-payment-retry')
    return what.replace(
      /sale (\S+) was requested again with a new key, .*/s,
      '$1 was sent again with a new key',
    );
  return what;
}

function whyRefused(what: string): string {
  const [, why = what] = / was refused with (.+)$/s.exec(what) ?? [];
  return why.replace(/: (?:\w+\.)+(?=\w+ )/, ': ');
}
