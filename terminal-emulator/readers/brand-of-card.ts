import type { PaymentBrand } from '../../shared/nexo/enums.ts';
import { brandByIin } from '../cards/brand-by-iin.ts';

/**
 * Application identifiers that settle the brand; the longest prefix wins. Others are decided by the number:
 * domestic schemes (CB, Dankort, RuPay, US common debit) carry another brand's numbers, and
 * A0000001523010 is Discover's and Diners' alike.
 */
const byAid: readonly (readonly [prefix: string, brand: PaymentBrand])[] = [
  ['A00000000310', 'visa'],
  ['A00000000320', 'visa'],
  ['A0000000038010', 'visa'],
  ['A00000000410', 'mc'],
  ['A0000000043060', 'maestro'],
  ['A0000000050001', 'maestro'],
  ['A0000000046000', 'mc'],
  ['A00000002501', 'amex'],
  ['A0000003241010', 'discover'],
  ['A0000000651010', 'jcb'],
  ['A0000003330101', 'cup'],
  ['A0000002771010', 'interac_card'],
];

const longestFirst = byAid.toSorted(([a], [b]) => b.length - a.length);

/** The brand an application identifier (upper-case hexadecimal) stands for, where it alone identifies one. */
export function brandOfAid(aid: string): PaymentBrand | undefined {
  return longestFirst.find(([prefix]) => aid.startsWith(prefix))?.[1];
}

/** The application decides before the number does. */
export function brandOfCard(aid: string | undefined, number: string): PaymentBrand | undefined {
  return (aid === undefined ? undefined : brandOfAid(aid)) ?? brandByIin(number);
}
