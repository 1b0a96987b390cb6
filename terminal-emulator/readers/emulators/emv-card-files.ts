import { encodeTlv } from '../emv/tlv.ts';
import { concatBytes, fromHex } from '../hex.ts';
import type { EmvApplicationDefinition } from './emv-card-definition.ts';

/** A record in one of the files on the card. */
export interface CardRecord {
  readonly sfi: number;
  readonly record: number;
  readonly content: Uint8Array;
}

export function encodeLatin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Makes one TLV data object. The tag is in hexadecimal. */
export function encodeTlvWithHexTag(tag: string, ...values: Uint8Array[]): Uint8Array {
  return encodeTlv(Number.parseInt(tag, 16), values);
}

/** Makes an application's entry in a directory (PSE or PPSE): tags 4F, 50 and 87. */
export function makeDirectoryEntry(application: EmvApplicationDefinition): Uint8Array {
  return concatBytes(
    ...[
      encodeTlvWithHexTag('4F', fromHex(application.aid)),
      encodeTlvWithHexTag('50', encodeLatin1(application.label)),
      encodeTlvWithHexTag('87', Uint8Array.of(application.priority & 0x0f)),
      ...(application.preferredName
        ? [encodeTlvWithHexTag('9F12', encodeLatin1(application.preferredName))]
        : []),
    ],
  );
}

/** Makes the answer to SELECT, the file control information (FCI) of an application. */
export function makeSelectResponse(application: EmvApplicationDefinition): Uint8Array {
  const { preferredName, pdol = [] } = application;
  const proprietary = [
    encodeTlvWithHexTag('50', encodeLatin1(application.label)),
    encodeTlvWithHexTag('87', Uint8Array.of(application.priority & 0x0f)),
    ...(pdol.length > 0
      ? [
          encodeTlvWithHexTag(
            '9F38',
            concatBytes(
              ...pdol.map(([tag, length]) => concatBytes(...[fromHex(tag), Uint8Array.of(length)])),
            ),
          ),
        ]
      : []),
    encodeTlvWithHexTag('5F2D', encodeLatin1('en')),
    ...(preferredName
      ? [
          encodeTlvWithHexTag('9F11', Uint8Array.of(1)),
          encodeTlvWithHexTag('9F12', encodeLatin1(preferredName)),
        ]
      : []),
  ];
  return encodeTlvWithHexTag(
    '6F',
    encodeTlvWithHexTag('84', fromHex(application.aid)),
    encodeTlvWithHexTag('A5', ...proprietary),
  );
}

/** How many bytes the terminal must send in object 83 of GPO. */
export function pdolDataLength(application: EmvApplicationDefinition): number {
  return (application.pdol ?? []).reduce((sum, [, length]) => sum + length, 0);
}

// The application interchange profile: SDA and DDA off, cardholder verification on, issuer authentication off.
const interchangeProfile = fromHex('1800');

/** Makes the answer to GPO: the profile and the file locator, in the application's format. */
export function makeGpoResponse(application: EmvApplicationDefinition, contactless: boolean): Uint8Array {
  if (contactless && application.quick) return quickOptions(application);
  const files = makeApplicationRecords(application);
  const locator = locatorOf(files);
  if (application.gpo === 'format1') return encodeTlvWithHexTag('80', interchangeProfile, locator);
  return encodeTlvWithHexTag(
    '77',
    encodeTlvWithHexTag('82', interchangeProfile),
    encodeTlvWithHexTag('94', locator),
  );
}

/**
 * Makes the answer of a quick contactless card to GPO. This answer contains all the data, including the cryptogram of
 * an online request, so the card has no records.
 */
function quickOptions(application: EmvApplicationDefinition): Uint8Array {
  return encodeTlvWithHexTag(
    '77',
    encodeTlvWithHexTag('82', fromHex('2000')),
    encodeTlvWithHexTag('57', track2(application)),
    ...personal(application),
    encodeTlvWithHexTag('9F36', fromHex('0001')),
    encodeTlvWithHexTag('9F26', fromHex('0102030405060708')),
    encodeTlvWithHexTag('9F27', fromHex('80')),
    encodeTlvWithHexTag('9F10', fromHex('06010A03A00000')),
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
export function makeApplicationRecords(application: EmvApplicationDefinition): CardRecord[] {
  const first = application.withoutTrack2 ? [] : [encodeTlvWithHexTag('57', track2(application))];
  const holder = application.holder ? [encodeTlvWithHexTag('5F20', encodeLatin1(application.holder))] : [];
  return [
    { sfi: 1, record: 1, content: encodeTlvWithHexTag('70', ...first, ...holder) },
    {
      sfi: 1,
      record: 2,
      content: encodeTlvWithHexTag(
        '70',
        encodeTlvWithHexTag('5A', numeric(application.pan)),
        encodeTlvWithHexTag('5F24', fromHex(application.expiry)),
      ),
    },
    {
      sfi: 2,
      record: 1,
      content: encodeTlvWithHexTag(
        '70',
        ...personal(application),
        encodeTlvWithHexTag('8E', verificationList(application)),
      ),
    },
  ];
}

function personal(application: EmvApplicationDefinition): Uint8Array[] {
  const { sequenceNumber, country } = application;
  return [
    encodeTlvWithHexTag('5F28', fromHex(country.padStart(4, '0'))),
    ...(sequenceNumber === undefined
      ? []
      : [encodeTlvWithHexTag('5F34', fromHex(String(sequenceNumber).padStart(2, '0')))]),
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
