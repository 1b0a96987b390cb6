import { maskPan } from '../../../shared/masking/mask-pan.ts';
import { findTlv, type Tlv } from './tlv.ts';

/** No label needs as many digits; whatever stands between them, and whether they pass Luhn, does not matter. */
const longNumber = /\d(?:[^0-9A-Za-z]*\d){11,}/g;

/**
 * What an application calls itself: its preferred name where its character set is one we show (ISO 8859-1),
 * else its label. Anything unprintable is dropped, what may be a card number is masked; 16 characters at most (EMV
 * Book 1 §12.2.4).
 */
export function applicationLabel(objects: readonly Tlv[]): string {
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
