import { brandOfCard } from '../../cards/brands.ts';
import { hasCardNumberLength, makeCardIdentity } from '../card-identity.ts';
import { toHex } from '../hex.ts';
import { type CardAccount, CardError } from '../reader-driver.ts';
import { verificationByCvmList } from './cvm-list.ts';
import { findTlv, type Tlv } from './tlv.ts';

/**
 * Reads the facts that a terminal is allowed to know about an account, from all data objects of its application. The
 * number comes from track 2 (57). If there is no track 2, the number comes from 5A. If there is no 5A either, the
 * number comes from the track 2 of Mastercard's contactless stripe mode (9F6B).
 *
 * @throws CardError BAD_READ if the card gives no number, or if the AID contains the card number
 */
export function readAccountFromTlvs(
  objects: readonly Tlv[],
  context: { readonly aid: string | undefined; readonly fingerprintKey: Uint8Array },
): CardAccount {
  const track2 = parseTrack2(findTlv(objects, 0x57)?.value);
  const magStripeTrack2 = parseTrack2(findTlv(objects, 0x9f6b)?.value);
  const number = [track2?.number, plainNumber(findTlv(objects, 0x5a)?.value), magStripeTrack2?.number].find(
    (digits) => digits !== undefined && hasCardNumberLength(digits),
  );
  if (number === undefined) throw new CardError('BAD_READ', 'the card gave no number');
  if (context.aid?.includes(number))
    throw new CardError('BAD_READ', 'the card number is part of the name of the application');
  const track = track2 ?? magStripeTrack2;
  return {
    ...makeCardIdentity(number, context.fingerprintKey),
    brand: brandOfCard(context.aid, number),
    expiry: expiryOf(digits(findTlv(objects, 0x5f24)?.value)) ?? expiryOf(track?.expiry),
    country: digits(findTlv(objects, 0x5f28)?.value)?.slice(-3),
    sequenceNumber: digits(findTlv(objects, 0x5f34)?.value.subarray(0, 1)),
    verification: verificationByCvmList(findTlv(objects, 0x8e)?.value),
    serviceCode: track?.serviceCode,
  };
}

/** Reads track 2 in binary form: number, D, YYMM, service code. Anything after these is ignored. */
function parseTrack2(value: Uint8Array | undefined) {
  const match = /^(\d{12,19})D(\d{4})(\d{3})/.exec(toHex(value ?? new Uint8Array()));
  return match ? { number: match[1], expiry: match[2], serviceCode: match[3] } : undefined;
}

/** Reads a number with two digits in each byte, filled up with F. */
function plainNumber(value: Uint8Array | undefined): string | undefined {
  return value && toHex(value).replace(/F+$/, '');
}

function digits(value: Uint8Array | undefined): string | undefined {
  const text = value && toHex(value);
  return text && /^\d+$/.test(text) ? text : undefined;
}

/** Turns an expiry that begins with YYMM into MMYY; undefined if MM is no month. */
function expiryOf(yearFirst: string | undefined): string | undefined {
  const match = /^(\d{2})(0[1-9]|1[0-2])/.exec(yearFirst ?? '');
  return match ? `${match[2]}${match[1]}` : undefined;
}
