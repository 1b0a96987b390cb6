import { currencyExponent, formatDecimalAmount, majorToMinorOrFault } from '../../shared/money.ts';
import { isSaleUntold } from '../../shared/sales/is-untold.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { formatClockTime } from './journal-lines.ts';
import { padEnd, textWidth, truncate } from './text-width.ts';

/**
 * The parts of a line about a sale: `12:41:07    12.50 …01 sale-7KQ2 POST lost, status ×2       approved ⚠1` (B266).
 */
export interface SaleLine {
  readonly time: string;
  /** The amount, the terminal and the reference, each in a column of its own. */
  readonly what: string;
  /** The requests of the point of sale, and how each of them ended. */
  readonly calls: string;
  readonly outcome: string;
  /**
   * The rules that the sale breaks. If there is no room for the rules, the number of findings. Empty if there are no
   * findings.
   */
  readonly warnings: string;
  readonly tone: 'neutral' | 'success' | 'error' | 'open' | 'wrong';
}

interface Room {
  readonly columns: number;
  /** Whether there are several terminals. If so, the line says to which terminal the sale belongs. */
  readonly several: boolean;
  readonly marks: { readonly ellipsis: string; readonly warn: string; readonly unicode: boolean };
}

const amountColumns = 8;
const timeColumns = 8;

/**
 * Returns the line of a sale in at most `columns` columns. If the sale's name is too long, the middle of the name is
 * cut out. The outcome is shortened only after all other parts.
 */
export function makeSaleLine(sale: Sale, { columns, several, marks }: Room): SaleLine {
  const drawable = (text: string) => (marks.unicode ? text : text.replaceAll('×', 'x'));
  const time = formatClockTime(Date.parse(sale.startedAt));
  const terminal = several ? [sale.terminal ? marks.ellipsis + sale.terminal.slice(-2) : '   '] : [];
  const name = nameIn(columns >= 78 ? 12 : 9, shortSaleNameOf(sale, marks.ellipsis), marks.ellipsis);
  const what = [saleAmountText(sale).padStart(amountColumns), ...terminal, padEnd(name, 9)].join(' ');
  const calls = drawable(sale.callsText);
  const otherColumns = timeColumns + textWidth(what) + 3;
  const fullOutcome = drawable(wholeOutcome(sale));
  const rules = sale.findings.map(({ rule }) => rule).join(', ');
  const named = rules === '' ? '' : `${marks.warn} ${rules}`;
  const shortOutcome = drawable(outcomeOf(sale));
  const isRoomForNames = otherColumns + textWidth(calls + shortOutcome + named) + 2 <= columns;
  const warnings = rules === '' || isRoomForNames ? named : `${marks.warn}${sale.findings.length}`;
  const room = columns - otherColumns - (warnings ? textWidth(warnings) + 1 : 0);
  const fitting = textWidth(fullOutcome) + textWidth(calls) <= room ? fullOutcome : shortOutcome;
  const outcome = textWidth(fitting) <= room ? fitting : fitting.replace(/^refused: /, '');
  const shown = truncate(outcome, room, marks.ellipsis);
  return {
    time,
    what,
    calls: truncate(calls, Math.max(0, room - textWidth(shown)), marks.ellipsis),
    outcome: shown,
    warnings,
    tone: toneOf(sale),
  };
}

/** Returns the amount to pay, tip included, with as many decimals as its currency has. */
export function saleAmountText({ amount, total, currency }: Sale): string {
  return majorAmountText(total ?? amount, currency);
}

/**
 * Returns an amount with as many decimals as its currency has. If the currency is not known, the amount is not
 * changed.
 */
export function majorAmountText(major: number | null, currency: string | null): string {
  if (major === null) return '';
  const minor = currency === null ? undefined : majorToMinorOrFault(major, currency);
  return typeof minor === 'number' && currency !== null && currencyExponent(currency) !== undefined
    ? formatDecimalAmount(minor, currency)
    : String(major);
}

/**
 * Returns a name for the sale. It is the point of sale's own reference if there is one. Otherwise it is the part of
 * pinpad that made the sale, or the end of the idempotency key.
 */
export function shortSaleNameOf({ saleReferenceId, idempotencyKey, own }: Sale, ellipsis: string): string {
  if (saleReferenceId !== null) return saleReferenceId;
  if (own !== null) return `(${own})`;
  return idempotencyKey === null ? '' : `${ellipsis}${idempotencyKey.slice(-6)}`;
}

/**
 * Shortens a name. The last characters of the name are kept, because they distinguish the name from similar names
 * (B266).
 */
function nameIn(columns: number, name: string, ellipsis: string): string {
  if (textWidth(name) <= columns) return name;
  return truncate(truncate(name, columns - 5, ellipsis) + name.slice(-5), columns, ellipsis);
}

function outcomeOf(sale: Sale): string {
  return isSaleUntold(sale) ? `${sale.outcomeText}, not told` : sale.outcomeText;
}

/** Returns the outcome, with the reason that the terminal or the host gave: `declined: Not enough balance (210)`. */
function wholeOutcome(sale: Sale): string {
  const [, reason] = /^the terminal answers \w+: (.+)$/s.exec(sale.why ?? '') ?? [];
  if (reason === undefined || sale.outcome !== 'failure') return outcomeOf(sale);
  // The replacement is a function, because the host's reason may contain `$&`, which has a special meaning in a
  // replacement text.
  return sale.reason === 'refusal'
    ? sale.outcomeText.replace(/refusal$/, () => reason)
    : `${sale.outcomeText}: ${reason}`;
}

function toneOf({ outcome, findings }: Sale): SaleLine['tone'] {
  if (findings.some(({ severity }) => severity === 'error')) return 'wrong';
  if (outcome === 'success') return 'success';
  if (outcome === 'open') return 'open';
  return outcome === 'none' ? 'neutral' : 'error';
}
