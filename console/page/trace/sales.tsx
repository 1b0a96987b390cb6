import { useObservable } from '../observable.ts';
import type { TracedSale } from './trace-data.ts';
import type { TracedSalesList } from './traced-sales-list.ts';

/**
 * At first at most this many sales are shown, so that the rest of the page stays in view. The user can unfold the
 * list to see all sales.
 */
const mostOpen = 8;

const told: Record<TracedSale['told'], string> = {
  told: 'told',
  untold: 'not told',
  unknown: 'told: not known',
  nothing: '',
};

/**
 * Shows the sales, each on one line as on pinpad's screen. A click on a sale shows the first message of the sale
 * (B361).
 */
export function TracedSaleLines({
  list,
  onEntry,
}: {
  list: TracedSalesList;
  onEntry: (seq: number) => void;
}) {
  useObservable(list);
  const { sales } = list;
  const wrong = sales.filter(({ findings }) => findings.length > 0).length;
  return (
    <details class="why-so" id="sales" open={sales.length <= mostOpen}>
      <summary>
        Sales and their outcomes ({sales.length}
        {wrong > 0 && `, ${wrong} went wrong`})
      </summary>
      {sales.length === 0 ? (
        <p class="none">No sale yet.</p>
      ) : (
        <ol class="traced-sales">
          {sales.map((sale) => (
            <li key={sale.saleId}>
              <Line sale={sale} onEntry={onEntry} />
              {sale.findings.map(({ rule, what, fix, count }) => (
                <p key={`${rule} ${what}`} class="found">
                  <strong>⚠ {rule}</strong>
                  {count > 1 && ` (${count} times)`}: {what}. <span class="fix">{fix}</span>
                </p>
              ))}
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

function Line({ sale, onEntry }: { sale: TracedSale; onEntry: (seq: number) => void }) {
  const { time, amount, terminal, name, calls, outcome, outcomeText, seq } = sale;
  return (
    <button
      type="button"
      disabled={seq === undefined}
      title="Show its first message"
      onClick={() => seq !== undefined && onEntry(seq)}
    >
      <time>{time}</time>
      <span class="amount">{amount}</span>
      <span class="terminal">{terminal}</span>
      <strong>{name}</strong>
      <span class="calls">{calls}</span>
      <span class={outcome === 'failure' ? 'failure-text' : outcome}>{outcomeText}</span>
      <span class={sale.told}>{told[sale.told]}</span>
    </button>
  );
}
