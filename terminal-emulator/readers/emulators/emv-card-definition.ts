import type { CardholderVerification, TestCardDefinition } from '../../../shared/emulator/cards.ts';

/** One payment application of an emulated chip. */
export interface EmvApplicationDefinition {
  /** The identifier of the application: 5 to 16 bytes in hexadecimal. */
  readonly aid: string;
  /** The name of the application (tag 50). */
  readonly label: string;
  /** The preferred name (tag 9F12), in code table 1 (Latin). */
  readonly preferredName?: string;
  /** The low nibble of tag 87: 1 marks the card's first choice, 0 means that there is no priority. */
  readonly priority: number;
  /**
   * The PDOL (tag 9F38): the objects that the terminal must send with GPO, as tags and lengths. If it is absent, the
   * terminal sends an empty object 83.
   */
  readonly pdol?: readonly (readonly [tag: string, length: number])[];
  /**
   * The form of the answer to GPO. `format1` is tag 80 with AIP and AFL next to each other; `format2` is TLV in tag 77.
   */
  readonly gpo: 'format1' | 'format2';
  /** If true, the answer to GPO has track 2 and no AFL, as on quick contactless cards. */
  readonly quick?: boolean;
  /** The digits of the card number, which must be a published test number. */
  readonly pan: string;
  /** The expiry as YYMMDD (tag 5F24). */
  readonly expiry: string;
  readonly serviceCode: string;
  /** The issuer's country as an ISO 3166 number (tag 5F28). */
  readonly country: string;
  /** The PAN sequence number (tag 5F34). */
  readonly sequenceNumber?: number;
  /** The cardholder's name (tag 5F20). */
  readonly holder?: string;
  /** The first method in the list of cardholder verification methods (tag 8E). The default is signature. */
  readonly verification?: CardholderVerification;
  /** If true, track 2 is left out, so that the terminal must read the number from tag 5A. */
  readonly withoutTrack2?: boolean;
  /**
   * Set if the application is in the directory but cannot be used: SELECT answers 6283 or 6A82, or GPO answers 6985.
   */
  readonly refuses?: 'blocked' | 'absent' | 'options';
}

/** Defines an emulated card. Its numbers must be published test numbers. */
export interface EmvCardDefinition {
  readonly id: string;
  readonly applications: readonly EmvApplicationDefinition[];
  /**
   * Whether the card has the contact directory 1PAY.SYS.DDF01. Without it, a terminal must try the AIDs that it knows.
   */
  readonly pse: boolean;
  /** Whether the card has the contactless directory 2PAY.SYS.DDF01. */
  readonly ppse: boolean;
  readonly protocol: 'T=0' | 'T=1';
  /** The UID: 4, 7 or 10 bytes in hexadecimal. */
  readonly uid: string;
  /**
   * Set if the card refuses every command, as a dirty chip does: always, or only when it is presented for the first
   * time.
   */
  readonly unreadable?: 'always' | 'once';
}

/** The PDOL that contactless cards usually have. */
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

/** Makes the chip for a card of the tray. */
export function makeChipDefinition(
  card: TestCardDefinition,
  protocol: 'T=0' | 'T=1' = 'T=0',
): EmvCardDefinition {
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

/** Makes a UID of seven bytes that differs from card to card. Its first byte, 04, is a manufacturer's code. */
function uidOf(number: string): string {
  let mix = 7;
  for (const digit of number) mix = (Math.imul(mix, 31) + Number(digit)) >>> 0;
  return `04${mix.toString(16).toUpperCase().padStart(12, '0')}`;
}
