import type { Sale } from '../../../shared/sales/sale.ts';
import { linkTo } from '../route.ts';
import {
  SaleAmount,
  SaleMistakesAndOutcome,
  saleNameOf,
  saleStartTimeText,
  worstFindingText,
} from './sale-words.tsx';

/** How many sales are shown beside the terminals. */
export const latestSalesCount = 8;

/** Shows the last sales beside the terminals, each sale on one line (B266). */
export function LatestSales({ sales }: { sales: readonly Sale[] | undefined }) {
  if (!sales) return null;
  return (
    <section class="latest-sales" aria-labelledby="latest-sales-title">
      <h2 id="latest-sales-title">
        <a href={linkTo('sales')}>Sales</a>
      </h2>
      {sales.length === 0 && (
        <p class="none">No sale yet. Each sale of your point of sale gets a line here.</p>
      )}
      <ol>
        {sales.slice(0, latestSalesCount).map((sale) => (
          <li key={sale.saleId}>
            <a href={linkTo('sales', { id: sale.saleId })}>
              <time>{saleStartTimeText(sale)}</time> <SaleAmount sale={sale} />{' '}
              <strong>{saleNameOf(sale)}</strong> <span class="calls">{sale.callsText}</span>{' '}
              <span>
                <SaleMistakesAndOutcome sale={sale} />
              </span>
              {worstFindingText(sale) !== undefined && (
                <span class="why-wrong">{worstFindingText(sale)}</span>
              )}
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

/**
 * Finds the latest sale with a mistake among the sales beside the terminals, and shows this mistake. In a narrow window
 * the list of sales is below the terminals and may be out of view, so the mistake is shown separately (B316).
 */
export function LatestSaleMistake({ sales = [] }: { sales: readonly Sale[] | undefined }) {
  const wrong = sales.slice(0, latestSalesCount).find(({ findings }) => findings.length > 0);
  if (!wrong) return null;
  return (
    <p class="wrong-sale">
      <a href={linkTo('sales', { id: wrong.saleId })}>
        <span class="found-wrong">⚠</span> <strong>{saleNameOf(wrong)}</strong> {wrong.callsText}:{' '}
        {worstFindingText(wrong)}
      </a>
    </p>
  );
}
