import { isoTime } from '../../../shared/clock.ts';
import { concatBytes, fromHex } from '../hex.ts';
import { TlvError } from './tlv.ts';

/** An entry of a data object list. With this entry, the card asks for the object `tag` with `length` bytes. */
interface DolEntry {
  readonly tag: number;
  readonly length: number;
}

/** Data about the transaction. A card can ask for these data in its PDOL. */
export interface TransactionData {
  /** The currency as an ISO 4217 number of three digits. */
  readonly currencyCode: string;
  /** The country as an ISO 3166 number of three digits. */
  readonly countryCode: string;
  /** The present time in ms since 1970. */
  readonly nowMs: number;
  /** A random number of four bytes. */
  readonly unpredictableNumber: Uint8Array;
}

/**
 * Parses a data object list, such as tag 9F38.
 * @throws TlvError
 */
export function parseDol(bytes: Uint8Array): DolEntry[] {
  const entries: DolEntry[] = [];
  let at = 0;
  const next = () => {
    const byte = bytes[at++];
    if (byte === undefined) throw new TlvError('a data object list ends within an entry');
    return byte;
  };
  while (at < bytes.length) {
    let tag = next();
    if ((tag & 0x1f) === 0x1f) {
      let byte: number;
      do {
        if (tag > 0xffffff) throw new TlvError('a tag is longer than four bytes');
        byte = next();
        tag = tag * 256 + byte;
      } while (byte & 0x80);
    }
    entries.push({ tag, length: next() });
  }
  return entries;
}

/**
 * Makes the bytes that a card's list asks for, in the order of the list. Unknown objects are filled with zeros (EMV
 * Book 3 §5.4).
 */
export function fillDol(entries: readonly DolEntry[], data: TransactionData): Uint8Array {
  const total = entries.reduce((sum, entry) => sum + entry.length, 0);
  if (total > 250) throw new TlvError('a data object list asks for more than a command holds');
  return concatBytes(...entries.map((entry) => sized(objectOf(entry.tag, data), entry)));
}

/**
 * Fits an object into the length that the card asks for. A numeric object keeps its last digits and is padded in front.
 * Any other object keeps its first bytes.
 */
function sized(value: { bytes: Uint8Array; numeric: boolean } | undefined, entry: DolEntry): Uint8Array {
  const fitted = new Uint8Array(entry.length);
  if (!value) return fitted;
  const { bytes, numeric } = value;
  if (numeric) {
    const kept = bytes.subarray(Math.max(0, bytes.length - entry.length));
    fitted.set(kept, entry.length - kept.length);
  } else fitted.set(bytes.subarray(0, entry.length));
  return fitted;
}

function objectOf(tag: number, data: TransactionData) {
  const numeric = (digits: string) => ({ bytes: fromHex(digits), numeric: true });
  const binary = (hex: string) => ({ bytes: fromHex(hex), numeric: false });
  switch (tag) {
    case 0x9f02: // the authorised amount, which is 0, so that any cryptogram of the card is worthless
      return numeric('000000000000');
    case 0x9f1a: // terminal country code
      return numeric(data.countryCode.padStart(4, '0'));
    case 0x5f2a: // transaction currency code
      return numeric(data.currencyCode.padStart(4, '0'));
    case 0x9a: // transaction date
      return numeric(isoTime(data.nowMs).slice(2, 10).replaceAll('-', ''));
    case 0x9f21: // transaction time
      return numeric(isoTime(data.nowMs).slice(11, 19).replaceAll(':', ''));
    case 0x9c: // transaction type: purchase of goods
      return numeric('00');
    case 0x9f35: // terminal type: attended, online with offline capability
      return numeric('22');
    case 0x9f33: // terminal capabilities: all entry modes, all CVMs, no offline data authentication
      return binary('E0F800');
    case 0x9f40: // additional terminal capabilities
      return binary('6000F0A001');
    // Terminal transaction qualifiers: qVSDC, chip, online PIN, signature, online cryptogram. A card that asks for
    // these qualifiers always returns a cryptogram. If we did not ask for an online cryptogram, the card might approve
    // offline and use up its offline counters.
    case 0x9f66:
      return binary('36804000');
    case 0x9f37: // unpredictable number
      return { bytes: data.unpredictableNumber, numeric: false };
    default:
      return undefined;
  }
}
