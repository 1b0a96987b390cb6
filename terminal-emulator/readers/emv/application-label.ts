import { maskPan } from '../../../shared/masking/mask-pan.ts';
import { findTlv, type Tlv } from './tlv.ts';

/**
 * Matches twelve or more digits, even if characters other than letters stand between them. Such digits may be a card
 * number, because no label needs twelve digits. The pattern does not test the check digit.
 */
const longNumber = /\d(?:[^0-9A-Za-z]*\d){11,}/g;

/**
 * The name of an application. The preferred name is used if its character set is ISO 8859-1. Otherwise the label is
 * used. Unprintable characters are dropped, a possible card number is masked, and at most 16 characters are kept (EMV
 * Book 1 §12.2.4).
 */
export function applicationDisplayName(objects: readonly Tlv[]): string {
  const codeTable = findTlv(objects, 0x9f11)?.value[0];
  const preferred = codeTable === 1 ? text(findTlv(objects, 0x9f12)?.value) : '';
  return preferred || text(findTlv(objects, 0x50)?.value);
}

function text(value: Uint8Array | undefined): string {
  return Buffer.from(value ?? [])
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '')
    .replaceAll(longNumber, (digits) => maskPan(digits.replaceAll(/\D/g, '')))
    .trim()
    .slice(0, 16);
}
