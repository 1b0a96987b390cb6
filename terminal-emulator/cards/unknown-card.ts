import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import { luhnHolds } from '../../shared/masking/luhn.ts';
import { brands, findBrandByIin } from './brands.ts';

/**
 * Makes a card for a typed number that belongs to no test card. The card is a credit card, and every payment with it is
 * approved. The first digits of the number decide the brand. Gives undefined if the number has a wrong length, a wrong
 * check digit or no brand, or if the expiry is not MMYY. The id of the card does not contain the number.
 */
export function makeCardForUnknownNumber(number: string, expiry: string): TestCardDefinition | undefined {
  const brand = findBrandByIin(number);
  if (!brand || !/^\d{12,19}$/.test(number) || !luhnHolds(number)) return undefined;
  if (!/^(0[1-9]|1[0-2])\d{2}$/.test(expiry)) return undefined;
  const application = brands[brand].application;
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
