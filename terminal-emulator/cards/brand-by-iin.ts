import type { PaymentBrand } from '../../shared/nexo/enums.ts';

/** Ranges of leading digits, both ends included and equally long (Interac has none). */
const ranges: readonly (readonly [from: string, to: string, brand: PaymentBrand])[] = [
  ['4', '4', 'visa'],
  ['51', '55', 'mc'],
  ['2221', '2720', 'mc'],
  ['34', '34', 'amex'],
  ['37', '37', 'amex'],
  ['300', '305', 'diners'],
  ['36', '36', 'diners'],
  ['38', '39', 'diners'],
  ['6011', '6011', 'discover'],
  ['644', '649', 'discover'],
  ['65', '65', 'discover'],
  ['3528', '3589', 'jcb'],
  ['2131', '2131', 'jcb'],
  ['1800', '1800', 'jcb'],
  ['62', '62', 'cup'],
  ['8100', '8171', 'cup'],
  ['493698', '493698', 'maestro'],
  ['500000', '508999', 'maestro'],
  ['56', '59', 'maestro'],
  ['63', '63', 'maestro'],
  ['67', '67', 'maestro'],
  ['6', '6', 'maestro'],
];

const mostSpecificFirst = ranges.toSorted(([a], [b]) => b.length - a.length);

/** The brand a card number belongs to by its issuer identification number; undefined where no range fits. */
export function brandByIin(number: string): PaymentBrand | undefined {
  return mostSpecificFirst.find(([from, to]) => {
    const iin = number.slice(0, from.length);
    return iin.length === from.length && from <= iin && iin <= to;
  })?.[2];
}
