import type { Card } from '../../shared/emulator/cards.ts';
import type { PaymentBrand } from '../../shared/nexo/enums.ts';
import { brandByIin } from './brand-by-iin.ts';
import { luhnHolds } from './luhn.ts';

const applications: Record<PaymentBrand, { aid: string; label: string }> = {
  visa: { aid: 'A0000000031010', label: 'VISA' },
  mc: { aid: 'A0000000041010', label: 'MASTERCARD' },
  amex: { aid: 'A00000002501', label: 'AMERICAN EXPRESS' },
  maestro: { aid: 'A0000000043060', label: 'MAESTRO' },
  diners: { aid: 'A0000001523010', label: 'DINERS CLUB' },
  discover: { aid: 'A0000001523010', label: 'DISCOVER' },
  jcb: { aid: 'A0000000651010', label: 'JCB' },
  cup: { aid: 'A000000333010102', label: 'UNIONPAY' },
  interac_card: { aid: 'A0000002771010', label: 'INTERAC' },
};

/**
 * The card behind a typed number that is no test card: an approved credit card of the brand its IIN says.
 * Undefined where the number cannot be a card's (check digit, length, no brand) or the expiry is not MMYY.
 * Its id says nothing of its number.
 */
export function unknownCard(number: string, expiry: string): Card | undefined {
  const brand = brandByIin(number);
  if (!brand || !/^\d{12,19}$/.test(number) || !luhnHolds(number)) return undefined;
  if (!/^(0[1-9]|1[0-2])\d{2}$/.test(expiry)) return undefined;
  const application = applications[brand];
  return {
    id: `keyed-${brand.replaceAll('_', '-')}`,
    label: `Keyed ${application.label}`,
    number,
    expiry,
    country: '840',
    funding: 'credit',
    applications: [{ ...application, brand, debit: false }],
    keyed: true,
    note: '',
  };
}
