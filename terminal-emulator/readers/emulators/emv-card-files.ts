import { encodeTlv } from '../emv/tlv.ts';
import { concatBytes, fromHex } from '../hex.ts';
import type { EmvApplicationDefinition } from './emv-card-definition.ts';

/** A record in one of the card's files. */
export interface CardFile {
  readonly sfi: number;
  readonly record: number;
  readonly content: Uint8Array;
}

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Makes one data object; the tag is hexadecimal. */
export function tlv(tag: string, ...values: Uint8Array[]): Uint8Array {
  return encodeTlv(Number.parseInt(tag, 16), values);
}

/** An application's entry in a PSE record or the PPSE: 4F, 50, 87. */
export function directoryEntry(application: EmvApplicationDefinition): Uint8Array {
  return concatBytes(
    ...[
      tlv('4F', fromHex(application.aid)),
      tlv('50', ascii(application.label)),
      tlv('87', Uint8Array.of(application.priority & 0x0f)),
      ...(application.preferredName ? [tlv('9F12', ascii(application.preferredName))] : []),
    ],
  );
}

/** The FCI that the selection of an application gives. */
export function selectAnswer(application: EmvApplicationDefinition): Uint8Array {
  const { preferredName, pdol = [] } = application;
  const proprietary = [
    tlv('50', ascii(application.label)),
    tlv('87', Uint8Array.of(application.priority & 0x0f)),
    ...(pdol.length > 0
      ? [
          tlv(
            '9F38',
            concatBytes(
              ...pdol.map(([tag, length]) => concatBytes(...[fromHex(tag), Uint8Array.of(length)])),
            ),
          ),
        ]
      : []),
    tlv('5F2D', ascii('en')),
    ...(preferredName ? [tlv('9F11', Uint8Array.of(1)), tlv('9F12', ascii(preferredName))] : []),
  ];
  return tlv('6F', tlv('84', fromHex(application.aid)), tlv('A5', ...proprietary));
}

/** How many bytes the 83 of GPO must hold. */
export function pdolDataLength(application: EmvApplicationDefinition): number {
  return (application.pdol ?? []).reduce((sum, [, length]) => sum + length, 0);
}

// The interchange profile: SDA and DDA off, cardholder verification on, issuer authentication off.
const interchangeProfile = fromHex('1800');

/** The answer to GPO: profile and file locator, in the application's format. */
export function processingOptions(application: EmvApplicationDefinition, contactless: boolean): Uint8Array {
  if (contactless && application.quick) return quickOptions(application);
  const files = filesOf(application);
  const locator = locatorOf(files);
  if (application.gpo === 'format1') return tlv('80', interchangeProfile, locator);
  return tlv('77', tlv('82', interchangeProfile), tlv('94', locator));
}

/**
 * The answer to GPO of quick contactless cards. It has everything, including the cryptogram of an online request, and
 * there are no records.
 */
function quickOptions(application: EmvApplicationDefinition): Uint8Array {
  return tlv(
    '77',
    tlv('82', fromHex('2000')),
    tlv('57', track2(application)),
    ...personal(application),
    tlv('9F36', fromHex('0001')),
    tlv('9F26', fromHex('0102030405060708')),
    tlv('9F27', fromHex('80')),
    tlv('9F10', fromHex('06010A03A00000')),
  );
}

function locatorOf(files: CardFile[]): Uint8Array {
  const bySfi = new Map<number, number[]>();
  for (const { sfi, record } of files) bySfi.set(sfi, [...(bySfi.get(sfi) ?? []), record]);
  const entries = [...bySfi].map(([sfi, records]) => [
    sfi << 3,
    Math.min(...records),
    Math.max(...records),
    0,
  ]);
  return Uint8Array.from(entries.flat());
}

/** The records of an application: its number is in SFI 1, the rest about it in SFI 2. */
export function filesOf(application: EmvApplicationDefinition): CardFile[] {
  const first = application.withoutTrack2 ? [] : [tlv('57', track2(application))];
  const holder = application.holder ? [tlv('5F20', ascii(application.holder))] : [];
  return [
    { sfi: 1, record: 1, content: tlv('70', ...first, ...holder) },
    {
      sfi: 1,
      record: 2,
      content: tlv('70', tlv('5A', numeric(application.pan)), tlv('5F24', fromHex(application.expiry))),
    },
    {
      sfi: 2,
      record: 1,
      content: tlv('70', ...personal(application), tlv('8E', verificationList(application))),
    },
  ];
}

function personal(application: EmvApplicationDefinition): Uint8Array[] {
  const { sequenceNumber, country } = application;
  return [
    tlv('5F28', fromHex(country.padStart(4, '0'))),
    ...(sequenceNumber === undefined ? [] : [tlv('5F34', fromHex(String(sequenceNumber).padStart(2, '0')))]),
  ];
}

function track2(application: EmvApplicationDefinition): Uint8Array {
  return numeric(
    `${application.pan}D${application.expiry.slice(0, 4)}${application.serviceCode}1845888890000`,
  );
}

/** Packs two digits to a byte, filled with F on the right. */
function numeric(digits: string): Uint8Array {
  return fromHex(digits.length % 2 === 0 ? digits : `${digits}F`);
}

/** Makes tag 8E: two amounts, the card's own method, then "no verification" if that method is not possible. */
function verificationList({ verification = 'signature' }: EmvApplicationDefinition): Uint8Array {
  const methods = { offlinePin: '4103', onlinePin: '4203', signature: '5E03', none: '' };
  return fromHex(`0000000000000000${methods[verification]}1F03`);
}
