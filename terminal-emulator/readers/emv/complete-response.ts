import { CardError } from '../reader-driver.ts';
import { parseResponseApdu } from './apdu.ts';

/** The maximum number of bytes in an answer, all parts together. */
const mostBytes = 65_536;

/**
 * Sends a command and fetches its whole answer. After `61xx` it sends GET RESPONSE; after `6Cxx` it sends the command
 * again with the length that the card names (ISO/IEC 7816-4).
 */
export async function fetchCompleteResponse(
  transmit: (apdu: Uint8Array) => Promise<Uint8Array>,
  apdu: Uint8Array,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  let corrected = false;
  let command = apdu;
  for (;;) {
    const bytes = await transmit(command);
    const response = parseResponseApdu(bytes);
    if (!response) throw new CardError('BAD_READ', "the card's answer has no status word");
    const { data, status } = response;
    if (status >> 8 === 0x6c && !corrected) {
      corrected = true;
      command = withLength(command, status & 0xff);
      continue;
    }
    parts.push(data);
    total += data.length;
    if (status >> 8 !== 0x61) return Uint8Array.from([...Buffer.concat(parts), ...bytes.subarray(-2)]);
    if (data.length === 0 && parts.length > 1)
      throw new CardError('BAD_READ', "the card's answer does not end");
    if (total > mostBytes) throw new CardError('BAD_READ', "the card's answer does not end");
    command = Uint8Array.of((apdu[0] ?? 0) & 0x03, 0xc0, 0x00, 0x00, status & 0xff);
    corrected = false;
  }
}

/** Adds the expected length (Le) to a short command. Le stands after the data, if the command has data. */
function withLength(apdu: Uint8Array, expected: number): Uint8Array {
  const data = apdu.length > 5 ? 5 + (apdu[4] ?? 0) : 4;
  return Uint8Array.of(...apdu.subarray(0, data), expected);
}
