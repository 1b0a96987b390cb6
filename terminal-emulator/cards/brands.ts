import type { PaymentBrand } from '../../shared/nexo/enums.ts';

interface Brand {
  /**
   * The payment application of this brand's cards. A typed number and a magnetic stripe name no application, so the
   * terminal uses this application for them.
   */
  readonly application: { readonly aid: string; readonly label: string };
  /**
   * The beginnings of application identifiers (AIDs) that identify this brand. The longest match wins. If no
   * beginning matches, the card number decides the brand. Domestic schemes (CB, Dankort, RuPay, US common debit) are
   * not listed: their card numbers belong to other brands, and these numbers decide the brand. A0000001523010 is not
   * listed, because both Discover and Diners use this identifier.
   */
  readonly aids: readonly string[];
  /**
   * The beginnings of this brand's card numbers. An entry is a single prefix, such as `34`, or a range that includes
   * both ends, such as `51-55`. The longest match wins.
   */
  readonly iins: readonly string[];
}

/**
 * Everything that defines a brand. Interac has no entry in `iins`, because the numbers of Interac cards are in the
 * number ranges of other brands.
 */
export const brands: Record<PaymentBrand, Brand> = {
  visa: {
    application: { aid: 'A0000000031010', label: 'VISA' },
    aids: ['A00000000310', 'A00000000320', 'A0000000038010'],
    iins: ['4'],
  },
  mc: {
    application: { aid: 'A0000000041010', label: 'MASTERCARD' },
    aids: ['A00000000410', 'A0000000046000'],
    iins: ['51-55', '2221-2720'],
  },
  amex: {
    application: { aid: 'A00000002501', label: 'AMERICAN EXPRESS' },
    aids: ['A00000002501'],
    iins: ['34', '37'],
  },
  maestro: {
    application: { aid: 'A0000000043060', label: 'MAESTRO' },
    aids: ['A0000000043060', 'A0000000050001'],
    iins: ['493698', '500000-508999', '56-59', '63', '67', '6'],
  },
  diners: {
    application: { aid: 'A0000001523010', label: 'DINERS CLUB' },
    aids: [],
    iins: ['300-305', '36', '38-39'],
  },
  discover: {
    application: { aid: 'A0000001523010', label: 'DISCOVER' },
    aids: ['A0000003241010'],
    iins: ['6011', '644-649', '65'],
  },
  jcb: {
    application: { aid: 'A0000000651010', label: 'JCB' },
    aids: ['A0000000651010'],
    iins: ['3528-3589', '2131', '1800'],
  },
  cup: {
    application: { aid: 'A000000333010102', label: 'UNIONPAY' },
    aids: ['A0000003330101'],
    iins: ['62', '8100-8171'],
  },
  interac_card: {
    application: { aid: 'A0000002771010', label: 'INTERAC' },
    aids: ['A0000002771010'],
    iins: [],
  },
};

const names = Object.keys(brands) as PaymentBrand[];
const aidsLongestFirst = names
  .flatMap((brand) => brands[brand].aids.map((aid) => ({ aid, brand })))
  .toSorted((one, other) => other.aid.length - one.aid.length);
const iinsLongestFirst = names
  .flatMap((brand) =>
    brands[brand].iins.map((range) => {
      const [from = '', to = from] = range.split('-');
      return { from, to, brand };
    }),
  )
  .toSorted((one, other) => other.from.length - one.from.length);

/**
 * The brand of an application identifier (upper-case hexadecimal); undefined if the identifier belongs to no known
 * brand.
 */
function brandByAid(aid: string): PaymentBrand | undefined {
  return aidsLongestFirst.find((one) => aid.startsWith(one.aid))?.brand;
}

/** The brand of a card number, found by its first digits (IIN); undefined if no range matches. */
export function findBrandByIin(number: string): PaymentBrand | undefined {
  return iinsLongestFirst.find(({ from, to }) => {
    const iin = number.slice(0, from.length);
    return iin.length === from.length && from <= iin && iin <= to;
  })?.brand;
}

/**
 * The brand of a card. The card's application decides the brand; if no brand has this application, the card number
 * decides.
 */
export function brandOfCard(aid: string | undefined, number: string): PaymentBrand | undefined {
  return (aid === undefined ? undefined : brandByAid(aid)) ?? findBrandByIin(number);
}
