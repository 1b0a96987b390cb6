import type { CardholderVerification } from '../../../shared/emulator/cards.ts';

/**
 * The verification methods that our terminals support, by their codes in a cardholder verification rule (EMV Book 3
 * Annex C3).
 */
const methods: Partial<Record<number, CardholderVerification>> = {
  1: 'offlinePin',
  2: 'onlinePin',
  3: 'offlinePin',
  4: 'offlinePin',
  5: 'offlinePin',
  30: 'signature',
  31: 'none',
};

/** The conditions that are true for a purchase of goods at an attended terminal that supports every method. */
const holding = new Set([0x00, 0x02, 0x03]);

/**
 * Gives the method that the card wants for verifying its holder. Tag 8E lists rules; the first rule with a true
 * condition names the method.
 */
export function verificationByCvmList(cvmList: Uint8Array | undefined): CardholderVerification | undefined {
  // The list begins with two amounts of four bytes each. Each rule after them has two bytes: method and condition.
  for (let at = 8; cvmList && at + 1 < cvmList.length; at += 2) {
    const method = methods[(cvmList[at] ?? 0) & 0x3f];
    if (method !== undefined && holding.has(cvmList[at + 1] ?? 0xff)) return method;
  }
  return undefined;
}
