import type { Sale } from '../../../shared/sales/sale.ts';
import { ListAndDetail } from '../records/list-and-detail.tsx';
import type { Column } from '../records/record-list.tsx';
import { linkTo } from '../route.ts';
import { SaleDetail } from './sale-detail.tsx';
import { SaleAmount, SaleMistakesAndOutcome, saleNameOf, saleStartTimeText } from './sale-words.tsx';
import { StrayFindings } from './stray-findings.tsx';
import { useSales } from './use-sales.ts';

const pageSize = 200;

const columns: readonly Column<Sale>[] = [
  { title: 'Sale', draw: saleNameOf },
  { title: 'Began', minor: true, draw: saleStartTimeText },
  { title: 'Terminal', minor: true, draw: ({ terminal }) => terminal },
  { title: 'Amount', number: true, draw: (sale) => <SaleAmount sale={sale} /> },
  { title: 'Calls', minor: true, draw: ({ callsText }) => callsText },
  { title: 'Outcome', draw: (sale) => <SaleMistakesAndOutcome sale={sale} /> },
];

interface PaneProps {
  readonly asked: Readonly<Record<string, string>>;
}

/** Shows the sales that points of sale tried, each sale on one line, with the chosen sale beside the list (B266). */
export function SalesPane({ asked: { id } }: PaneProps) {
  const { sales, failed, readOlder } = useSales(pageSize);
  const choose = (chosen: string) => location.replace(linkTo('sales', chosen === id ? {} : { id: chosen }));
  if (!sales) return <p class={failed ? 'problem nothing' : 'none nothing'}>{failed ?? 'Reading …'}</p>;
  if (sales.length === 0 && id === undefined)
    return (
      <div class="records-pane">
        <StrayFindings />
        <p class="none nothing">
          No sale yet. Ring one up under <a href={linkTo('terminals')}>Terminals</a>, or let your point of
          sale send one.
        </p>
      </div>
    );
  return (
    <div class="records-pane">
      <StrayFindings />
      <ListAndDetail
        label="Sales"
        records={sales}
        columns={columns}
        idOf={({ saleId }) => saleId}
        findable="reference, amount, outcome …"
        only={{ title: 'with findings only', keeps: ({ findings }) => findings.length > 0 }}
        chosen={id}
        onChoose={choose}
        onEnd={readOlder}
        noun="sale"
        detail={(chosen) => <SaleDetail id={chosen} known={sales.find(({ saleId }) => saleId === chosen)} />}
      />
    </div>
  );
}
