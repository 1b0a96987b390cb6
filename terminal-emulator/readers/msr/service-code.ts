import type { CardholderVerification } from '../../../shared/emulator/cards.ts';

/**
 * Values of a service code's third digit that ask for a PIN (ISO/IEC 7813). Depending on the digit, the PIN is required
 * always, only for goods, only for cash, or if possible.
 */
const withPin = new Set(['0', '3', '5', '6', '7']);

/**
 * Whether the card has a chip that must be used if possible. The service code then begins with 2 on an international
 * card, and with 6 on a national one.
 */
export function serviceCodeHasChip(serviceCode: string | undefined): boolean {
  return serviceCode?.[0] === '2' || serviceCode?.[0] === '6';
}

/**
 * Gives the method that verifies the holder of a swiped card. If a card was swiped, its PIN can be checked only online.
 */
export function verificationOfServiceCode(
  serviceCode: string | undefined,
): CardholderVerification | undefined {
  if (serviceCode === undefined) return undefined;
  return withPin.has(serviceCode[2] ?? '') ? 'onlinePin' : 'signature';
}
