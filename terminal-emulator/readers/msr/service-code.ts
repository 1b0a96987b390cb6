import type { CardholderVerification } from '../../../shared/emulator/cards.ts';

/** Third digits of a service code that want a PIN (ISO/IEC 7813): always, goods, cash, or where feasible. */
const withPin = new Set(['0', '3', '5', '6', '7']);

/** Whether the card has a chip, which is to be used where it can be: 2 international, 6 national. */
export function hasChip(serviceCode: string | undefined): boolean {
  return serviceCode?.[0] === '2' || serviceCode?.[0] === '6';
}

/** How the holder of a swiped card is verified: a stripe's PIN can only be checked online. */
export function verificationOfServiceCode(
  serviceCode: string | undefined,
): CardholderVerification | undefined {
  if (serviceCode === undefined) return undefined;
  return withPin.has(serviceCode[2] ?? '') ? 'onlinePin' : 'signature';
}
