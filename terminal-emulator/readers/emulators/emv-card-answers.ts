import { xorOf } from '../hex.ts';
/**
 * Gives the answer to reset of a contact card. For T=0 it is `3B 65 00 00 …`, as on real cards. For T=1, TD1 and TD2
 * offer only T=1, with IFSC 254, BWI 4, CWI 5 and the LRC that EMV requires; the last byte is the check byte TCK.
 */
export function makeAtr(protocol: 'T=0' | 'T=1'): Uint8Array {
  if (protocol === 'T=0') return Uint8Array.of(0x3b, 0x65, 0x00, 0x00, 0x20, 0x63, 0xcb, 0x6a, 0x00);
  const interfaceBytes = [0xe5, 0x00, 0x00, 0x81, 0x31, 0xfe, 0x45];
  const historical = [0x20, 0x63, 0xcb, 0x6a, 0x00];
  const checked = [...interfaceBytes, ...historical];
  return Uint8Array.of(0x3b, ...checked, xorOf(checked));
}

/**
 * The answer to select of a contactless card. It begins with its length TL and says: FSCI 8 (256 bytes), 106 kbit/s
 * both ways, FWI 7, SFGI 0, and that the card supports CID but not NAD. The emulated readers send no CID.
 */
export const contactlessAts = Uint8Array.of(0x05, 0x78, 0x80, 0x70, 0x02);
