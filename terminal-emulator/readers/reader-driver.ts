import type { CardholderVerification } from '../../shared/emulator/cards.ts';
import type { EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** Stops a listener. */
export type Off = () => void;

/**
 * An open line to a reader. It is open when it is handed out, and never opens again: after a loss, a new line is opened.
 */
export interface ReaderLine {
  /** Calls `listener` once with the reason when either side ends the line; at once if it has ended already. */
  onClosed(listener: (why: string) => void): Off;
  /** Closes the line. Calling it again does nothing. Listeners of onClosed receive `closed`. */
  close(): Promise<void>;
}

/** A line that carries bytes: a serial port, a TCP connection, or two connected ends in memory. */
export interface ByteTransport extends ReaderLine {
  /** For people: `/dev/ttyUSB0`, `tcp:127.0.0.1:4000`. */
  readonly name: string;
  /** Resolves when the bytes have left. @throws TransportClosed if the line is gone */
  write(bytes: Uint8Array): Promise<void>;
  onData(listener: (bytes: Uint8Array) => void): Off;
  /** Sets the control lines. Nothing happens if the line has none. */
  setLines?(lines: { dtr?: boolean; rts?: boolean }): Promise<void>;
}

/** The settings that a driver needs for a serial line. Lines without such settings ignore them. */
export interface LineSettings {
  baudRate: number;
  dataBits: 7 | 8;
  stopBits: 1 | 2;
  parity: 'none' | 'even' | 'odd';
}

/** A card that answers commands. It hides ISO-DEP, T=0 or T=1, chaining, 61xx and 6Cxx. */
export interface ApduChannel {
  /** The answer to reset; for a contactless card the frame with the historical bytes (ATS). */
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
   * 16 hexadecimal digits that identify this account. Without the key they reveal nothing about its number
   * (HMAC-SHA-256 of the number, truncated).
   */
  readonly fingerprint: string;
  readonly brand: PaymentBrand | undefined;
  /** Whether the number's check digit is right. In some real numbers and test numbers it is not. */
  readonly checkDigitValid: boolean;
  /** MMYY. */
  readonly expiry: string | undefined;
  /** ISO 3166 numeric, three digits. */
  readonly country: string | undefined;
  /** PAN sequence number, two digits. */
  readonly sequenceNumber: string | undefined;
  /** How its holder is to be verified, according to its CVM list or its service code. */
  readonly verification: CardholderVerification | undefined;
  /** Three digits, if a track had them. */
  readonly serviceCode: string | undefined;
}

/** One payment application of a card, with the account it pays from. */
export interface ReadApplication extends ReadAccount {
  /** Upper-case hexadecimal. */
  readonly aid: string;
  readonly label: string;
  /** 1 is the card's first choice; 0 if the card gives no order. */
  readonly priority: number;
}

/** All that a reader learnt about a card: the account of its first application or of its stripe, and all applications. */
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
  /** `why` is for people, if more is known than the code says. */
  | {
      readonly type: 'card.error';
      readonly entry: ReaderEntry;
      readonly code: CardErrorCode;
      readonly why?: string;
    }
  | { readonly type: 'card.removed'; readonly entry: ReaderEntry }
  | { readonly type: 'reader.lost'; readonly why: string }
  | { readonly type: 'reader.back'; readonly info: ReaderInfo };

/** The reader that answered at the other end. */
export interface ReaderInfo {
  readonly driver: string;
  /** For people: `PN532 firmware 1.6`. */
  readonly description: string;
  readonly entries: readonly ReaderEntry[];
}

/** A terminal's request for a card. */
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
 * One reader on one open line. A factory makes it for the line. Then it is opened, armed any number of times (once at a
 * time), and closed with its line.
 */
export interface ReaderDriver {
  /** Greets the device. @throws ReaderOpenError WRONG_DEVICE or NO_ANSWER */
  open(signal: AbortSignal): Promise<ReaderInfo>;
  /**
   * Watches for cards, and emits for each that it is present, that it was read (or an error), and that it was removed. It goes
   * on until `signal` aborts or the line is lost (reported as reader.lost), and resolves then. It never rejects because of a
   * card or a line.
   */
  arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void>;
  /** Releases the card and closes the line. */
  close(): Promise<void>;
}

/** Thrown when the line is gone. */
export class TransportClosed extends Error {}

/** A failure of this card at this time. The reader works. */
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
