import { brandOfCard } from '../../cards/brands.ts';
import { makeCardIdentity } from '../card-identity.ts';
import { xorOf } from '../hex.ts';
import { CardError, type CardRead } from '../reader-driver.ts';
import { verificationOfServiceCode } from './service-code.ts';
import { splitTracks } from './split-tracks.ts';

/**
 * Each pattern finds the number, the expiry and the service code. If the expiry or the service code is missing, a
 * separator stands in its place. The holder's name is skipped.
 */
const track1 = /^B(\d{12,19})\^[^^]*\^(\d{4}|\^)(\d{3}|\^)/;
const track2 = /^(\d{12,19})=(\d{4}|=)(\d{3}|=)/;

interface StripeData {
  readonly number: string;
  readonly expiry: string | undefined;
  readonly serviceCode: string | undefined;
}

/**
 * Reads the facts that a terminal is allowed to know about a swiped card. Track 2 is preferred to track 1.
 *
 * @throws CardError BAD_READ if neither track can be read, or if their numbers differ; UNSUPPORTED_APP if the reader
 * sends encrypted data
 */
export function parseSwipe(bytes: Uint8Array, fingerprintKey: Uint8Array): CardRead {
  if (isBinaryFrame(bytes))
    throw new CardError('UNSUPPORTED_APP', 'the reader sends a binary format of its own');
  const tracks = splitTracks(Buffer.from(bytes).toString('latin1'));
  if (!tracks) throw new CardError('BAD_READ', 'no tracks');
  const textOf = (number: number) => tracks.find((track) => track.number === number)?.text;
  const first = stripeData(track1.exec(textOf(1) ?? ''));
  const second = stripeData(track2.exec(textOf(2) ?? ''));
  const data = second ?? first;
  if (!data) throw new CardError('BAD_READ', 'no readable track has a card number');
  if (first && second && first.number !== second.number)
    throw new CardError('BAD_READ', 'the tracks belong to different cards');
  return {
    entry: 'MagStripe',
    ...makeCardIdentity(data.number, fingerprintKey),
    brand: brandOfCard(undefined, data.number),
    expiry: data.expiry,
    country: undefined,
    sequenceNumber: undefined,
    applications: [],
    selectedAid: undefined,
    verification: verificationOfServiceCode(data.serviceCode),
    serviceCode: data.serviceCode,
  };
}

function stripeData(match: RegExpExecArray | null): StripeData | undefined {
  const [, number, yearMonth = '', serviceCode = ''] = match ?? [];
  if (number === undefined) return undefined;
  const [, year, month] = /^(\d{2})(0[1-9]|1[0-2])$/.exec(yearMonth) ?? [];
  return {
    number,
    expiry: month && `${month}${year}`,
    serviceCode: serviceCode.length === 3 ? serviceCode : undefined,
  };
}

/**
 * Whether the bytes are ID TECH's enhanced output, which may be encrypted: 02, length (low byte first), data, exclusive
 * or, sum, 03.
 */
function isBinaryFrame(bytes: Uint8Array): boolean {
  const [start, low = 0, high = 0] = bytes;
  const length = high * 256 + low;
  if (start !== 0x02 || bytes.length !== length + 6 || bytes[length + 5] !== 0x03) return false;
  const data = bytes.subarray(3, 3 + length);
  const sum = data.reduce((total, byte) => (total + byte) & 0xff, 0);
  return bytes[length + 3] === xorOf(data) && bytes[length + 4] === sum;
}
