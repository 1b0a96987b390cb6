import { concatBytes } from '../hex.ts';
import { CardError } from '../reader-driver.ts';

/** Sends one TPDU to the card and resolves to the answer's data, SW1 and SW2. */
type TpduExchange = (tpdu: Uint8Array) => Promise<Uint8Array>;

/** The maximum number of exchanges for one command. A card that asks for more is broken. */
const mostRounds = 40;

/**
 * Sends one short command APDU by T=0 (ISO/IEC 7816-3 §12.2). The header always has a fifth byte; data and Le are never
 * sent together. After `61xx` the data is fetched with GET RESPONSE; after `6Cxx` the command is repeated with the
 * right Le.
 *
 * @throws CardError BAD_READ if the card's answer is invalid; RangeError for an extended APDU
 */
export async function transmitT0(apdu: Uint8Array, exchange: TpduExchange): Promise<Uint8Array> {
  let tpdu = toTpdu(apdu);
  const parts: Uint8Array[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const answer = await exchange(tpdu);
    if (answer.length < 2) throw new CardError('BAD_READ', 'the card answers without a status word');
    const data = answer.subarray(0, -2);
    const [sw1 = 0, sw2 = 0] = answer.subarray(-2);
    if (sw1 === 0x6c) {
      tpdu = Uint8Array.of(...tpdu.subarray(0, 4), sw2);
    } else if (sw1 === 0x61) {
      parts.push(data);
      tpdu = Uint8Array.of(0x00, 0xc0, 0x00, 0x00, sw2);
    } else return concatBytes(...parts, answer);
  }
  throw new CardError('BAD_READ', 'the card never finishes its answer');
}

function toTpdu(apdu: Uint8Array): Uint8Array {
  if (apdu.length < 4 || apdu.length > 261) throw new RangeError('T=0 can carry only short commands');
  if (apdu.length === 4) return Uint8Array.of(...apdu, 0x00);
  if (apdu.length === 5) return apdu;
  const end = 5 + (apdu[4] ?? 0);
  if (end === 5 || (apdu.length !== end && apdu.length !== end + 1))
    throw new RangeError('the command is not as long as its Lc says');
  return apdu.slice(0, end);
}
