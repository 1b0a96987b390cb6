import type { Card, CardholderVerification } from '../../../shared/emulator/cards.ts';

/** One payment application of an emulated chip. */
export interface EmvApplicationDefinition {
  /** Hexadecimal, 5 to 16 bytes. */
  readonly aid: string;
  /** Tag 50. */
  readonly label: string;
  /** Tag 9F12, in code table 1 (Latin). */
  readonly preferredName?: string;
  /** The low nibble of tag 87: 1 is the card's first choice, 0 means no priority. */
  readonly priority: number;
  /** Tag 9F38: the data that GPO must bring, as tags and lengths. If absent, GPO brings an empty 83. */
  readonly pdol?: readonly (readonly [tag: string, length: number])[];
  /** The format of the answer to GPO: 80 is AIP and AFL in a row, 77 is TLV. */
  readonly gpo: 'format1' | 'format2';
  /** If true, the GPO answer has track 2 and no AFL, as quick contactless cards do. */
  readonly quick?: boolean;
  /** The digits of a published test number. */
  readonly pan: string;
  /** YYMMDD, tag 5F24. */
  readonly expiry: string;
  readonly serviceCode: string;
  /** ISO 3166 numeric, tag 5F28. */
  readonly country: string;
  /** Tag 5F34. */
  readonly sequenceNumber?: number;
  /** Tag 5F20. */
  readonly holder?: string;
  /** The first method of tag 8E. The default is signature. */
  readonly verification?: CardholderVerification;
  /** If true, track 2 is left out, so that the number must come from tag 5A. */
  readonly withoutTrack2?: boolean;
  /** The application is in the directory but cannot be used: SELECT answers 6283 or 6A82, or GPO answers 6985. */
  readonly refuses?: 'blocked' | 'absent' | 'options';
}

/** An emulated card. Give it published test numbers only. */
export interface EmvCardDefinition {
  readonly id: string;
  readonly applications: readonly EmvApplicationDefinition[];
  /**
   * Whether the contact slot has the directory 1PAY.SYS.DDF01. Without it, a terminal must try its own list of AIDs.
   */
  readonly pse: boolean;
  /** Whether a tap has the directory 2PAY.SYS.DDF01. */
  readonly ppse: boolean;
  readonly protocol: 'T=0' | 'T=1';
  /** 4, 7 or 10 bytes, hexadecimal. */
  readonly uid: string;
  /** The card refuses every command, as a dirty chip does: always, or only the first time that it is presented. */
  readonly unreadable?: 'always' | 'once';
}

/** The data that contactless cards usually ask for. */
export const contactlessPdol = [
  ['9F66', 4],
  ['9F02', 6],
  ['9F03', 6],
  ['9F1A', 2],
  ['95', 5],
  ['5F2A', 2],
  ['9A', 3],
  ['9C', 1],
  ['9F37', 4],
] as const;

/** Makes the chip that a card of the tray would have. */
export function chipOf(card: Card, protocol: 'T=0' | 'T=1' = 'T=0'): EmvCardDefinition {
  const month = card.expiry.slice(0, 2);
  const year = card.expiry.slice(2);
  const readable = card.chip?.readable;
  return {
    id: card.id,
    applications: card.applications.map((application, index) => ({
      aid: application.aid,
      label: application.label,
      priority: index + 1,
      pdol: card.contactless ? contactlessPdol : [],
      gpo: index % 2 === 0 ? 'format2' : 'format1',
      pan: card.number,
      expiry: `${year}${month}${lastDay(year, month)}`,
      serviceCode: card.chip ? '201' : '101',
      country: card.country,
      sequenceNumber: 1,
      verification: card.chip?.verification ?? 'none',
    })),
    pse: true,
    ppse: card.contactless !== undefined,
    protocol,
    uid: uidOf(card.number),
    ...(readable === 'no' ? { unreadable: 'always' } : {}),
    ...(readable === 'secondTry' ? { unreadable: 'once' } : {}),
  };
}

function lastDay(year: string, month: string): number {
  const long = [1, 3, 5, 7, 8, 10, 12].includes(Number(month));
  if (Number(month) !== 2) return long ? 31 : 30;
  return Number(year) % 4 === 0 ? 29 : 28;
}

/** Makes seven bytes that differ from card to card; 04 is a manufacturer's code. */
function uidOf(number: string): string {
  let mix = 7;
  for (const digit of number) mix = (Math.imul(mix, 31) + Number(digit)) >>> 0;
  return `04${mix.toString(16).toUpperCase().padStart(12, '0')}`;
}
