import { useMemo, useState } from 'preact/hooks';
import type { Sale } from '../../../shared/sales/sale.ts';
import type { ConsoleStore } from '../console-store.ts';
import { type Column, RecordList } from '../records/record-list.tsx';
import { linkTo } from '../route.ts';
import { SaleDetail } from './sale-detail.tsx';
import { SaleAmount, SaleOutcomeText, saleNameOf, timeOf } from './sale-words.tsx';
import { StrayFindings } from './stray-findings.tsx';
import { useSales } from './use-sales.ts';

const pageSize = 200;

const columns: readonly Column<Sale>[] = [
  { title: 'Sale', draw: saleNameOf },
  { title: 'Began', minor: true, draw: timeOf },
  { title: 'Terminal', minor: true, draw: ({ terminal }) => terminal },
  { title: 'Amount', number: true, draw: (sale) => <SaleAmount sale={sale} /> },
  { title: 'Calls', minor: true, draw: ({ callsText }) => callsText },
  { title: 'Outcome', draw: (sale) => <SaleOutcomeText sale={sale} /> },
];

interface PaneProps {
  readonly store: ConsoleStore;
  readonly asked: Readonly<Record<string, string>>;
}

/** Shows the sales that points of sale tried, one on each line, with the chosen sale beside them (B266). */
export function SalesPane({ store, asked: { id } }: PaneProps) {
  const { sales, failed, readOlder } = useSales(store, pageSize);
  const [find, setFind] = useState('');
  const [wrong, onlyWrong] = useState(false);
  const found = useMemo(() => foundSales(sales ?? [], find, wrong), [sales, find, wrong]);
  const choose = (chosen: string) => location.replace(linkTo('sales', chosen === id ? {} : { id: chosen }));
  if (!sales) return <p class={failed ? 'problem nothing' : 'none nothing'}>{failed ?? 'Reading …'}</p>;
  if (sales.length === 0 && id === undefined)
    return (
      <div class="records-pane">
        <StrayFindings store={store} />
        <p class="none nothing">
          No sale yet. Ring one up under <a href={linkTo('terminals')}>Terminals</a>, or let your point of
          sale send one.
        </p>
      </div>
    );
  return (
    <div class="records-pane">
      <StrayFindings store={store} />
      <div class={`list-and-detail ${id === undefined ? '' : 'opened'}`}>
        <div class="found">
          <label class="find">
            <span>Find</span>
            <input
              type="search"
              value={find}
              placeholder="reference, amount, outcome …"
              onInput={({ currentTarget }) => setFind(currentTarget.value)}
            />
            <span class="count">
              {found.length === sales.length ? sales.length : `${found.length} of ${sales.length}`}
            </span>
          </label>
          <label class="only-wrong">
            <input type="checkbox" checked={wrong} onChange={() => onlyWrong(!wrong)} /> with findings only
          </label>
          <RecordList
            label="Sales"
            records={found}
            columns={columns}
            idOf={({ saleId }) => saleId}
            chosen={id}
            onChoose={choose}
            onEnd={readOlder}
          />
        </div>
        {id !== undefined && (
          <aside class="side" aria-label="The chosen sale">
            <button type="button" class="close" onClick={() => choose(id)}>
              Back to the list
            </button>
            <SaleDetail store={store} id={id} known={sales.find(({ saleId }) => saleId === id)} />
          </aside>
        )}
      </div>
    </div>
  );
}

function foundSales(sales: readonly Sale[], find: string, wrong: boolean): readonly Sale[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return sales.filter((sale) => {
    if (wrong && sale.findings.length === 0) return false;
    if (words.length === 0) return true;
    const text = JSON.stringify(Object.values(sale)).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
