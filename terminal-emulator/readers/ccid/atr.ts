import { xorOf } from '../hex.ts';
/** The parts of a card's answer to reset that say how to communicate with the card (ISO/IEC 7816-3 §8). */
export interface Atr {
  readonly protocol: 'T=0' | 'T=1';
  /** The protocols that the card offers, its first choice first. */
  readonly protocols: readonly number[];
  /** Whether TA2 is present. If so, the card uses its own protocol and speed, and nothing can be negotiated. */
  readonly specific: boolean;
  /** TA1, the clock and baud rate factors. The default is 11. */
  readonly speed: number;
  /** TC1, the extra guard time. */
  readonly guardTime: number;
  /** TC2, the waiting time integer of T=0. The default is 10. */
  readonly waitingInteger: number;
  /** The maximum size, in bytes, of an information field that the card takes with T=1. */
  readonly informationFieldSize: number;
  /** For T=1: BWI is in the high nibble and CWI is in the low nibble. The default is 4D. */
  readonly blockWaiting: number;
  readonly errorDetection: 'LRC' | 'CRC';
  /** Whether the answer begins with 3F. If so, the reader has to be set to invert every byte. */
  readonly inverse: boolean;
  readonly historical: Uint8Array;
}

/** Thrown if the bytes are no answer to reset. */
export class AtrError extends Error {}

interface InterfaceBytes {
  readonly protocol: number;
  readonly ta?: number;
  readonly tb?: number;
  readonly tc?: number;
}

/**
 * Reads an answer to reset. The check byte must be there, unless the card offers only T=0. Global interface bytes take
 * precedence over those of the first protocol.
 *
 * @throws AtrError
 */
export function parseAtr(bytes: Uint8Array): Atr {
  if (bytes.length < 2 || bytes.length > 33)
    throw new AtrError('the answer to reset must have 2 to 33 bytes');
  if (bytes[0] !== 0x3b && bytes[0] !== 0x3f)
    throw new AtrError('the answer to reset must begin with 3B or 3F');
  const { groups, at } = interfaceBytes(bytes);
  const historicalEnd = at + ((bytes[1] ?? 0) & 0x0f);
  const protocols = [...new Set(groups.slice(1).map((group) => group.protocol))].filter(
    (each) => each !== 15,
  );
  if (protocols.length === 0) protocols.push(0);
  checkSum(
    bytes,
    historicalEnd,
    protocols.some((each) => each !== 0) || groups.some((each) => each.protocol === 15),
  );
  const specificMode = groups[1]?.ta;
  const first = specificMode === undefined ? protocols[0] : specificMode & 0x0f;
  if (first !== 0 && first !== 1) throw new AtrError(`the card speaks only T=${first}`);
  const ofT1 = groups.slice(2).find((group) => group.protocol === 1);
  return {
    protocol: first === 0 ? 'T=0' : 'T=1',
    protocols,
    specific: specificMode !== undefined,
    speed: groups[0]?.ta ?? 0x11,
    guardTime: groups[0]?.tc ?? 0,
    waitingInteger: groups[1]?.tc ?? 10,
    informationFieldSize: ofT1?.ta ?? 32,
    blockWaiting: ofT1?.tb ?? 0x4d,
    errorDetection: ((ofT1?.tc ?? 0) & 0x01) === 0 ? 'LRC' : 'CRC',
    inverse: bytes[0] === 0x3f,
    historical: bytes.slice(at, historicalEnd),
  };
}

/**
 * Groups the bytes TA(i), TB(i) and TC(i). The byte TD(i-1) announces these three bytes and the protocol to which
 * they belong. The first group belongs to no protocol, so its protocol is given as 0.
 */
function interfaceBytes(bytes: Uint8Array): { groups: InterfaceBytes[]; at: number } {
  const groups: InterfaceBytes[] = [];
  let at = 2;
  let announcer = (bytes[1] ?? 0) & 0xf0;
  for (;;) {
    const next = () => {
      const byte = bytes[at++];
      if (byte === undefined) throw new AtrError('the answer to reset ends within its interface bytes');
      return byte;
    };
    groups.push({
      protocol: announcer & 0x0f,
      ...(announcer & 0x10 ? { ta: next() } : {}),
      ...(announcer & 0x20 ? { tb: next() } : {}),
      ...(announcer & 0x40 ? { tc: next() } : {}),
    });
    if ((announcer & 0x80) === 0) return { groups, at };
    announcer = next();
  }
}

/**
 * Checks the byte TCK, which is present unless the card offers only T=0. If TCK is right, the XOR of all bytes but the
 * first is zero.
 */
function checkSum(bytes: Uint8Array, historicalEnd: number, checked: boolean): void {
  if (bytes.length < historicalEnd)
    throw new AtrError('the answer to reset ends within its historical bytes');
  if (!checked) return;
  if (bytes.length < historicalEnd + 1) throw new AtrError('the answer to reset lacks its check byte');
  if (xorOf(bytes.subarray(1, historicalEnd + 1)) !== 0)
    throw new AtrError('the check byte of the answer to reset is wrong');
}
