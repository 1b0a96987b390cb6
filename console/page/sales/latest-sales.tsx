import type { ConsoleStore } from '../console-store.ts';
import { linkTo } from '../route.ts';
import { nameOf, SaleAmount, SaleOutcome, timeOf } from './sale-words.tsx';
import { useSales } from './use-sales.ts';

/** As many stand beside the terminals. */
const shown = 8;

/** The last sales, a line each, beside the terminals (B266). */
export function LatestSales({ store }: { store: ConsoleStore }) {
  const { sales } = useSales(store, shown);
  if (!sales) return null;
  return (
    <section class="latest-sales" aria-labelledby="latest-sales-title">
      <h2 id="latest-sales-title">
        <a href={linkTo('sales')}>Sales</a>
      </h2>
      {sales.length === 0 && (
        <p class="none">No sale yet: what your point of sale tries to sell is listed here, a line each.</p>
      )}
      <ol>
        {sales.slice(0, shown).map((sale) => (
          <li key={sale.saleId}>
            <a href={linkTo('sales', { id: sale.saleId })}>
              <time>{timeOf(sale)}</time> <SaleAmount sale={sale} /> <strong>{nameOf(sale)}</strong>{' '}
              <span class="calls">{sale.callsText}</span>{' '}
              <span>
                <SaleOutcome sale={sale} />
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
