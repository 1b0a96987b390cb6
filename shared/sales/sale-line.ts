import { currencyExponent } from '../money.ts';
import { isSaleUntold } from './is-untold.ts';
import type { Sale } from './sale.ts';

/** At most this many characters of a reference or key are shown. A longer name is shown without its middle. */
const longestName = 14;
/** The minimum number of columns for calls. If fewer columns are left, no calls are shown. */
const leastCalls = 4;

/**
 * Writes a sale as a line of at most `columns` characters: `12:41:07 12.50 …01 order-17 POST lost, status ×2 approved`.
 */
export function formatSaleLine(sale: Sale, columns = 78): string {
  const { time, amount, terminal, name } = makeSaleLineParts(sale);
  const head = [time, amount, terminal, name].filter((part) => part !== '').join(' ');
  const tail = [sale.outcomeText, ...(isSaleUntold(sale) ? ['not told'] : []), warnings(sale)];
  const end = tail.filter((part) => part !== '').join(' ');
  const room = columns - head.length - end.length - 2;
  const calls = room < leastCalls ? '' : `${cut(sale.callsText, room)} `;
  return cut(`${head} ${calls}${end}`, columns);
}

/** Returns the first parts of a sale's line. A part is an empty text if it is not known. */
export function makeSaleLineParts(sale: Sale): {
  time: string;
  amount: string;
  terminal: string;
  name: string;
} {
  return {
    time: sale.startedAt.slice(11, 19),
    amount: amountText(sale),
    terminal: terminalText(sale),
    name: nameText(sale),
  };
}

/** Returns the total, tip included, with the decimals of its currency. */
function amountText({ total, currency }: Pick<Sale, 'total' | 'currency'>): string {
  if (total === null) return '';
  return currency === null ? `${total}` : total.toFixed(currencyExponent(currency) ?? 2);
}

function terminalText({ terminal }: Sale): string {
  return terminal === null ? '' : `…${terminal.slice(-2)}`;
}

function nameText({ saleReferenceId, idempotencyKey, saleId }: Sale): string {
  const name = saleReferenceId ?? idempotencyKey ?? saleId;
  if (name.length <= longestName) return name;
  return `${name.slice(0, longestName - 5)}…${name.slice(-4)}`;
}

function warnings({ findings }: Sale): string {
  return findings.length === 0 ? '' : `⚠${findings.length}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
