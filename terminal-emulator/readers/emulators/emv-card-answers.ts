import { xorOf } from '../hex.ts';
/**
 * The contact answer to reset. For T=0 it is `3B 65 00 00 …`, as on cards in use. For T=1, TD1 and TD2 offer T=1 only,
 * with IFSC 254, BWI 4, CWI 5 and the LRC that EMV prescribes; the last byte is the check byte TCK.
 */
export function answerToReset(protocol: 'T=0' | 'T=1'): Uint8Array {
  if (protocol === 'T=0') return Uint8Array.of(0x3b, 0x65, 0x00, 0x00, 0x20, 0x63, 0xcb, 0x6a, 0x00);
  const interfaceBytes = [0xe5, 0x00, 0x00, 0x81, 0x31, 0xfe, 0x45];
  const historical = [0x20, 0x63, 0xcb, 0x6a, 0x00];
  const checked = [...interfaceBytes, ...historical];
  return Uint8Array.of(0x3b, ...checked, xorOf(checked));
}

/**
 * The contactless answer to select, with its length TL. It has FSCI 8 (256 bytes), 106 kbit/s both ways, FWI 7, SFGI 0,
 * and no support of CID.
 */
export const answerToSelect = Uint8Array.of(0x05, 0x78, 0x80, 0x70, 0x02);
