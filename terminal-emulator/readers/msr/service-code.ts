import type { CardholderVerification } from '../../../shared/emulator/cards.ts';

/**
 * The third digits of a service code that ask for a PIN (ISO/IEC 7813): always, for goods, for cash, or if possible.
 */
const withPin = new Set(['0', '3', '5', '6', '7']);

/**
 * Whether the card has a chip that is to be used if possible. The first digit is 2 for international and 6 for national
 * cards.
 */
export function hasChip(serviceCode: string | undefined): boolean {
  return serviceCode?.[0] === '2' || serviceCode?.[0] === '6';
}

/** How the holder of a swiped card is verified. The PIN of a stripe can only be checked online. */
export function verificationOfServiceCode(
  serviceCode: string | undefined,
): CardholderVerification | undefined {
  if (serviceCode === undefined) return undefined;
  return withPin.has(serviceCode[2] ?? '') ? 'onlinePin' : 'signature';
}
