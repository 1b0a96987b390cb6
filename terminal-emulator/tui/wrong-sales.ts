import type { Sale, SaleFinding } from '../../shared/sales/sale.ts';
import { panelRows } from './panel-rows.ts';
import type { TuiState } from './state.ts';

/** Of the last sales, which are in view, the last one that something is wrong with (B316). */
export function wrongInView(state: TuiState): Sale | undefined {
  return state.sales.slice(-panelRows(state, 'sales')).findLast(isWrong);
}

/** Those above them that something is wrong with, and that nobody has opened (B363). */
export function wrongAbove(state: TuiState): readonly Sale[] {
  const above = state.sales.slice(0, -panelRows(state, 'sales'));
  return above.filter((sale) => isWrong(sale) && !state.salesRead.has(sale.saleId));
}

function isWrong({ findings }: Sale): boolean {
  return findings.length > 0;
}

/** The worst of what was found about it. */
export function worstFound({ findings }: Sale): SaleFinding | undefined {
  return findings.find(({ severity }) => severity === 'error') ?? findings[0];
}

/** What a finding says in a line under its sale, which has the request already. */
export function inBrief({ rule, what }: SaleFinding): string {
  if (rule === 'refused-request') return whyRefused(what);
  // The end says which keys, and the line under the sale has no room for them.
  if (rule === 'blind-payment-retry')
    return what.replace(
      /sale (\S+) was requested again with a new key, .*/s,
      '$1 retried with a new key, outcome unknown',
    );
  return what;
}

function whyRefused(what: string): string {
  const [, why = what] = / was refused with (.+)$/s.exec(what) ?? [];
  return why.replace(/: (?:\w+\.)+(?=\w+ )/, ': ');
}
