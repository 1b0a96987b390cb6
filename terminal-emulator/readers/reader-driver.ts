import type { CardholderVerification } from '../../shared/emulator/cards.ts';
import type { EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** Stops a listener. */
export type Off = () => void;

/**
 * One open way to a reader. It is open from the moment it is handed out and never opens again: after a loss, a new
 * one is opened.
 */
export interface ReaderLine {
  /** Called once with the reason when the line ends, by either side; at once when it has ended already. */
  onClosed(listener: (why: string) => void): Off;
  /** Idempotent; listeners of onClosed receive `closed`. */
  close(): Promise<void>;
}

/** A line that carries bytes: a serial port, a TCP connection, or two connected ends in memory. */
export interface ByteTransport extends ReaderLine {
  /** For people: `/dev/ttyUSB0`, `tcp:127.0.0.1:4000`. */
  readonly name: string;
  /** Resolves when the bytes have left. @throws TransportClosed when the line is gone. */
  write(bytes: Uint8Array): Promise<void>;
  onData(listener: (bytes: Uint8Array) => void): Off;
  /** Control lines, best effort: where the line has none, nothing happens. */
  setLines?(lines: { dtr?: boolean; rts?: boolean }): Promise<void>;
}

/** What a driver wants of a serial line; lines without such settings ignore them. */
export interface LineSettings {
  baudRate: number;
  dataBits: 7 | 8;
  stopBits: 1 | 2;
  parity: 'none' | 'even' | 'odd';
}

/** A card that answers commands: behind it ISO-DEP, T=0 or T=1, chaining, 61xx and 6Cxx are hidden. */
export interface ApduChannel {
  /** The answer to reset; the historical bytes' frame (ATS) of a contactless card. */
  readonly atr: Uint8Array;
  readonly contactless: boolean;
  /**
   * Sends one command; resolves to data followed by SW1 SW2 (never 61xx or 6Cxx).
   * @throws CardError REMOVED, TIMEOUT or BAD_READ; TransportClosed when the line is gone.
   */
  transmit(apdu: Uint8Array, options: { timeoutMs: number; signal: AbortSignal }): Promise<Uint8Array>;
}

export const readerEntries = ['ICC', 'Contactless', 'MagStripe'] as const satisfies readonly EntryMode[];
/** The entry modes a reader can have: the nexo names. */
export type ReaderEntry = (typeof readerEntries)[number];

/**
 * The account a payment would come from. It is masked already: the full number, the tracks and a PIN never leave
 * the driver (B126).
 */
export interface ReadAccount {
  /** First six and last four digits: `476173 **** 0010`. */
  readonly maskedPan: string;
  /**
   * 16 hexadecimal digits that name this account and reveal nothing about its number to who lacks the key
   * (HMAC-SHA-256 of the number, truncated).
   */
  readonly fingerprint: string;
  readonly brand: PaymentBrand | undefined;
  /** The number's check digit is right. Some real and test numbers' are not. */
  readonly checkDigitValid: boolean;
  /** MMYY. */
  readonly expiry: string | undefined;
  /** ISO 3166 numeric, three digits. */
  readonly country: string | undefined;
  /** PAN sequence number, two digits. */
  readonly sequenceNumber: string | undefined;
  /** How its holder is to be verified (its CVM list, or its service code). */
  readonly verification: CardholderVerification | undefined;
  /** Three digits, where a track gave one. */
  readonly serviceCode: string | undefined;
}

/** One payment application of a card, with the account it pays from. */
export interface ReadApplication extends ReadAccount {
  /** Upper-case hexadecimal. */
  readonly aid: string;
  readonly label: string;
  /** 1 is the card's first choice; 0 where the card gives none. */
  readonly priority: number;
}

/** What a reader learnt of a card: the account of its first application, or of its stripe, and all others. */
export interface CardRead extends ReadAccount {
  readonly entry: ReaderEntry;
  /** The applications that can be used here, the card's first choice first; empty on a stripe. */
  readonly applications: readonly ReadApplication[];
  /** The first application's AID. */
  readonly selectedAid: string | undefined;
}

/** Why a card could not be read. */
const cardErrorCodes = [
  'BAD_READ',
  'CHIP_REQUIRED',
  'COLLISION',
  'UNSUPPORTED_APP',
  'REMOVED',
  'TIMEOUT',
] as const;
export type CardErrorCode = (typeof cardErrorCodes)[number];

export type ReaderEvent =
  | { readonly type: 'card.present'; readonly entry: ReaderEntry }
  | { readonly type: 'card.read'; readonly read: CardRead }
  /** `why` is for people, where more is known than the code says. */
  | {
      readonly type: 'card.error';
      readonly entry: ReaderEntry;
      readonly code: CardErrorCode;
      readonly why?: string;
    }
  | { readonly type: 'card.removed'; readonly entry: ReaderEntry }
  | { readonly type: 'reader.lost'; readonly why: string }
  | { readonly type: 'reader.back'; readonly info: ReaderInfo };

/** What answered at the other end. */
export interface ReaderInfo {
  readonly driver: string;
  /** For people: `PN532 firmware 1.6`. */
  readonly description: string;
  readonly entries: readonly ReaderEntry[];
}

/** What a terminal wants a card for. */
export interface ArmRequest {
  readonly entries: readonly ReaderEntry[];
  /** Whole minor units. */
  readonly amount: number;
  /** ISO 4217 alphabetic. */
  readonly currency: string;
  /** Aborting disarms the reader. */
  readonly signal: AbortSignal;
}

/**
 * One reader on one open line. Made by a factory that is given the line, then opened, armed as often as
 * wanted (once at a time), and closed with its line.
 */
export interface ReaderDriver {
  /** Greets the device. @throws ReaderOpenError WRONG_DEVICE or NO_ANSWER. */
  open(signal: AbortSignal): Promise<ReaderInfo>;
  /**
   * Watches for cards: for each one present, read (or error), removed; then for the next, until `signal`
   * aborts or the line is lost (which is reported as reader.lost). Resolves then; never rejects for what a card
   * or a line does.
   */
  arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void>;
  /** Releases the card and closes the line. */
  close(): Promise<void>;
}

/** The line is gone. */
export class TransportClosed extends Error {}

/** This card, this time; the reader is well. */
export class CardError extends Error {
  readonly code: CardErrorCode;
  constructor(code: CardErrorCode, message: string = code) {
    super(message);
    this.code = code;
  }
}

type ReaderOpenCode = 'NO_PORT' | 'PERMISSION' | 'BUSY' | 'WRONG_DEVICE' | 'NO_ANSWER' | 'FAILED';

/** A reader could not be opened; the message is one line that says the remedy. */
export class ReaderOpenError extends Error {
  readonly code: ReaderOpenCode;
  constructor(code: ReaderOpenCode, message: string) {
    super(message);
    this.code = code;
  }
}
