import { encodeTlv } from '../emv/tlv.ts';
import { concatBytes, fromHex } from '../hex.ts';
import type { EmvApplicationDefinition } from './emv-card-definition.ts';

/** A record in one of the files on the card. */
export interface CardRecord {
  readonly sfi: number;
  readonly record: number;
  readonly content: Uint8Array;
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Makes one TLV data object. The tag is in hexadecimal. */
export function tlv(tag: string, ...values: Uint8Array[]): Uint8Array {
  return encodeTlv(Number.parseInt(tag, 16), values);
}

/** Makes an application's entry in a directory (PSE or PPSE): tags 4F, 50 and 87. */
export function directoryEntry(application: EmvApplicationDefinition): Uint8Array {
  return concatBytes(
    ...[
      tlv('4F', fromHex(application.aid)),
      tlv('50', asciiBytes(application.label)),
      tlv('87', Uint8Array.of(application.priority & 0x0f)),
      ...(application.preferredName ? [tlv('9F12', asciiBytes(application.preferredName))] : []),
    ],
  );
}

/** Makes the answer to SELECT, the file control information (FCI) of an application. */
export function answerToSelectCommand(application: EmvApplicationDefinition): Uint8Array {
  const { preferredName, pdol = [] } = application;
  const proprietary = [
    tlv('50', asciiBytes(application.label)),
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
    tlv('5F2D', asciiBytes('en')),
    ...(preferredName ? [tlv('9F11', Uint8Array.of(1)), tlv('9F12', asciiBytes(preferredName))] : []),
  ];
  return tlv('6F', tlv('84', fromHex(application.aid)), tlv('A5', ...proprietary));
}

/** How many bytes the terminal must send in object 83 of GPO. */
export function pdolDataLength(application: EmvApplicationDefinition): number {
  return (application.pdol ?? []).reduce((sum, [, length]) => sum + length, 0);
}

// The application interchange profile: SDA and DDA off, cardholder verification on, issuer authentication off.
const interchangeProfile = fromHex('1800');

/** Makes the answer to GPO: the profile and the file locator, in the application's format. */
export function processingOptionsAnswer(
  application: EmvApplicationDefinition,
  contactless: boolean,
): Uint8Array {
  if (contactless && application.quick) return quickOptions(application);
  const files = applicationRecords(application);
  const locator = locatorOf(files);
  if (application.gpo === 'format1') return tlv('80', interchangeProfile, locator);
  return tlv('77', tlv('82', interchangeProfile), tlv('94', locator));
}

/**
 * Makes the answer of a quick contactless card to GPO. This answer contains all the data, including the cryptogram of
 * an online request, so the card has no records.
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

function locatorOf(files: CardRecord[]): Uint8Array {
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

/** The records of an application. SFI 1 has the card number, SFI 2 the other data. */
export function applicationRecords(application: EmvApplicationDefinition): CardRecord[] {
  const first = application.withoutTrack2 ? [] : [tlv('57', track2(application))];
  const holder = application.holder ? [tlv('5F20', asciiBytes(application.holder))] : [];
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

/** Packs two digits into each byte. An odd number of digits is filled up with F on the right. */
function numeric(digits: string): Uint8Array {
  return fromHex(digits.length % 2 === 0 ? digits : `${digits}F`);
}

/**
 * Makes tag 8E: two amounts, the card's own method, and then "no verification" for terminals that do not support that
 * method.
 */
function verificationList({ verification = 'signature' }: EmvApplicationDefinition): Uint8Array {
  const methods = { offlinePin: '4103', onlinePin: '4203', signature: '5E03', none: '' };
  return fromHex(`0000000000000000${methods[verification]}1F03`);
}
