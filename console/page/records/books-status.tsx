import { linkTo } from '../route.ts';
import type { TracedFinding } from '../trace/trace-data.ts';
import { useControlQuery } from '../use-control-query.ts';
import { useConsoleStore } from '../use-store.ts';
import { MoneyText } from './fields.tsx';
import type { Books } from './kinds.ts';
import { shortId } from './record-list.tsx';

/**
 * Shows whether the two books agree, and which mistakes the point of sale has made. The display is updated whenever
 * something changes.
 */
export function BooksAndMistakes() {
  const { offers } = useConsoleStore();
  const books = useControlQuery<Books>('/books', /^(payment|ledger|debit|refund)\./).data;
  return (
    <div class="standing">
      {books && <BooksLine books={books} />}
      {offers.findings && <Findings />}
    </div>
  );
}

function BooksLine({ books }: { books: Books }) {
  const { agree, payments, open, differences, givenBack, debits } = books;
  const compared = `${counted(payments, 'payment')} and ${counted(debits.debits, 'debit')} compared${open > 0 ? `, ${open} still open` : ''}`;
  if (agree)
    return (
      <p class="books success" role="status">
        The books agree <span class="none">({compared})</span>
      </p>
    );
  return (
    <div class="books error" role="status">
      <p>
        The books do not agree <span class="none">({compared})</span>
      </p>
      <ul>
        {differences.map(({ payment, currency, reported, moved }) => (
          <li key={payment}>
            <a href={linkTo('records', { of: 'payments', id: payment })}>{shortId(payment)}</a>: reported to
            the point of sale <MoneyText amount={reported} currency={currency} />, moved by the issuer{' '}
            <MoneyText amount={moved} currency={currency} />
          </li>
        ))}
        {givenBack.map(({ payment, currency, taken, counted: back, reversed }) => (
          <li key={`back ${payment}`}>
            <a href={linkTo('records', { of: 'payments', id: payment })}>{shortId(payment)}</a>: took{' '}
            <MoneyText amount={taken} currency={currency} />, counted as given back{' '}
            <MoneyText amount={back} currency={currency} />, given back by its reversals{' '}
            <MoneyText amount={reversed} currency={currency} />
          </li>
        ))}
        {debits.differences.map(({ debit, why }) => (
          <li key={debit}>
            <a href={linkTo('records', { of: 'debits', id: debit })}>{shortId(debit)}</a>: {why}
          </li>
        ))}
      </ul>
    </div>
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function Findings() {
  const { data = [] } = useControlQuery<TracedFinding[]>(
    '/console/findings',
    /^(http|request|payment|webhook)\./,
  );
  if (data.length === 0) return <p class="none">Lint finds nothing wrong with the point of sale so far.</p>;
  return (
    <details class="findings">
      <summary>
        {data.length} {data.length === 1 ? 'finding' : 'findings'} about the point of sale
      </summary>
      <ul>
        {data.map(({ rule, what, why, fix, count, entries }, index) => (
          <li key={index}>
            <p>
              <strong>{rule}</strong>: {what} {count > 1 && `(${count} times) `}
              {entries.map((seq) => (
                <a key={seq} href={linkTo('traffic', { seq: String(seq) })}>
                  #{seq}
                </a>
              ))}
            </p>
            <p class="none">
              {why} {fix}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
