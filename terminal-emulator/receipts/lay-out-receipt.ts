import type { PrintedReceipt } from '../../shared/emulator/frames.ts';
import type { PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { decodePairs } from '../../shared/nexo/pairs.ts';
import { countColumns, wrapToColumns } from '../screens/text-fit.ts';

/** The width of the paper, in characters. */
export const paperColumns = 32;

/**
 * The keys of the lines that are centred on the paper, such as the lines about the merchant and the receipt's title.
 */
const centred = new Set([
  'header1',
  'header2',
  'merchantTitle',
  'cardholderHeader',
  'approved',
  'void',
  'retain',
  'thanks',
]);

/**
 * Lays a receipt's lines out on paper, with the name at the left and the value at the right. A filler becomes an empty
 * line. Any other line without text is not printed. The result also says whether this is the cashier's receipt or the
 * customer's.
 */
export function layOutReceipt(receipt: PaymentReceipt, transactionId: string): PrintedReceipt {
  return {
    copy: receipt.DocumentQualifier === 'CashierReceipt' ? 'cashierReceipt' : 'customerReceipt',
    transactionId,
    lines: receipt.OutputContent.OutputText.flatMap(({ Text, CharacterStyle }) =>
      layOutLine(Object.fromEntries(decodePairs(Text))).map((text) => ({
        text,
        bold: CharacterStyle === 'Bold',
      })),
    ),
  };
}

function layOutLine({ key, name, value }: Record<string, string | undefined>): string[] {
  if (key === 'filler') return [''];
  const left = name ?? '';
  if (value === undefined) {
    const lines = wrapToColumns(left, paperColumns);
    return key !== undefined && centred.has(key) ? lines.map(centre) : lines;
  }
  const gap = paperColumns - countColumns(left) - countColumns(value);
  if (gap > 0) return [left + ' '.repeat(gap) + value];
  return [...wrapToColumns(left, paperColumns), ...wrapToColumns(value, paperColumns).map(alignRight)];
}

function centre(line: string): string {
  return ' '.repeat(Math.floor((paperColumns - countColumns(line)) / 2)) + line;
}

function alignRight(line: string): string {
  return ' '.repeat(paperColumns - countColumns(line)) + line;
}
