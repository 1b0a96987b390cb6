import { createHmac } from 'node:crypto';
import { luhnHolds } from '../../shared/masking/luhn.ts';
import { maskPan } from '../../shared/masking/mask-pan.ts';

/** The facts about a card number that may leave the driver. */
interface CardIdentity {
  readonly maskedPan: string;
  readonly fingerprint: string;
  readonly checkDigitValid: boolean;
}

export function hasCardNumberLength(digits: string): boolean {
  return /^\d{12,19}$/.test(digits);
}

/**
 * Turns a card number into two things that may leave the driver. One is the number masked to its first six and last
 * four digits (PCI DSS 3.4.1 for display). The other is a keyed hash, by which the same card is recognised again.
 */
export function makeCardIdentity(number: string, fingerprintKey: Uint8Array): CardIdentity {
  const hash = createHmac('sha256', fingerprintKey).update(number).digest('hex');
  return {
    maskedPan: maskPan(number),
    fingerprint: hash.slice(0, 16).toUpperCase(),
    checkDigitValid: luhnHolds(number),
  };
}
