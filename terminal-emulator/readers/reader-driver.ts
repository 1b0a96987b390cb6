import type { CardholderVerification } from '../../shared/emulator/cards.ts';
import type { EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** Removes a listener. */
export type Unsubscribe = () => void;

/** A line to a reader. It is open from the start and never opens again: after a loss, a new line replaces it. */
export interface ReaderLine {
  /**
   * Calls `listener` once with the reason when either side ends the line. If the line has already ended, `listener`
   * is called at once.
   */
  onClosed(listener: (why: string) => void): Unsubscribe;
  /** Closes the line. Later calls do nothing. Listeners of onClosed get the reason `closed`. */
  close(): Promise<void>;
}

/** A line that carries bytes: a serial port, a TCP connection, or two connected ends in memory. */
export interface ByteTransport extends ReaderLine {
  /** The line's name for people, such as `/dev/ttyUSB0` or `tcp:127.0.0.1:4000`. */
  readonly name: string;
  /**
   * Sends bytes. Resolves when the bytes have been sent.
   * @throws TransportClosedError if the line is gone
   */
  write(bytes: Uint8Array): Promise<void>;
  onData(listener: (bytes: Uint8Array) => void): Unsubscribe;
  /** Sets the control lines DTR and RTS. If the port has no control lines, the call has no effect. */
  setLines?(lines: { dtr?: boolean; rts?: boolean }): Promise<void>;
}

/** The settings that a driver needs for a serial line. Lines without such settings, such as TCP, ignore them. */
export interface LineSettings {
  baudRate: number;
  dataBits: 7 | 8;
  stopBits: 1 | 2;
  parity: 'none' | 'even' | 'odd';
}

/** A card that answers commands. The channel handles ISO-DEP, T=0, T=1, chaining, 61xx and 6Cxx. */
export interface ApduChannel {
  /** The card's answer to reset or, for a contactless card, its answer to select (ATS). */
  readonly atr: Uint8Array;
  readonly contactless: boolean;
  /**
   * Sends one command. Resolves to data followed by SW1 SW2, which are never 61xx or 6Cxx.
   * @throws CardError REMOVED, TIMEOUT or BAD_READ; TransportClosedError if the line is gone
   */
  transmit(apdu: Uint8Array, options: { timeoutMs: number; signal: AbortSignal }): Promise<Uint8Array>;
}

export const readerEntryModes = ['ICC', 'Contactless', 'MagStripe'] as const satisfies readonly EntryMode[];
/** The entry modes that a reader can have, by their names in nexo. */
export type ReaderEntryMode = (typeof readerEntryModes)[number];

/**
 * The account that would pay. It is masked already: the full number, the tracks and the PIN never leave the driver
 * (B126).
 */
export interface CardAccount {
  /** The first six and the last four digits of the number: `476173 **** 0010`. */
  readonly maskedPan: string;
  /**
   * 16 hexadecimal digits that identify this account (a truncated HMAC-SHA-256 of its number). Without the key they
   * reveal nothing about the number.
   */
  readonly fingerprint: string;
  readonly brand: PaymentBrand | undefined;
  /** Whether the number's check digit is right. Some real numbers and test numbers have a wrong one. */
  readonly checkDigitValid: boolean;
  /** The expiry as MMYY. */
  readonly expiry: string | undefined;
  /** The issuer's country as an ISO 3166 number of three digits. */
  readonly country: string | undefined;
  /** The PAN sequence number, two digits. */
  readonly sequenceNumber: string | undefined;
  /** How the cardholder is to be verified, according to the card's CVM list or service code. */
  readonly verification: CardholderVerification | undefined;
  /** The service code, three digits. It is undefined if no track had one. */
  readonly serviceCode: string | undefined;
}

/** One payment application of a card, with the account that pays if this application is used. */
export interface CardApplication extends CardAccount {
  /** The application identifier in upper-case hexadecimal. */
  readonly aid: string;
  readonly label: string;
  /** The application's priority: 1 is the card's first choice, 0 means that the card gives no order. */
  readonly priority: number;
}

/**
 * Everything that a reader learnt about a card: all applications, and the account of the first application or of the
 * stripe.
 */
export interface CardRead extends CardAccount {
  readonly entry: ReaderEntryMode;
  /** The applications that can be used here. The card's first choice comes first. A stripe has no applications. */
  readonly applications: readonly CardApplication[];
  /** The AID of the first application. */
  readonly selectedAid: string | undefined;
}

/** Why a card could not be read. */
export type CardErrorCode = 'BAD_READ' | 'COLLISION' | 'UNSUPPORTED_APP' | 'REMOVED' | 'TIMEOUT';

export type ReaderEvent =
  | { readonly type: 'card.present'; readonly entry: ReaderEntryMode }
  | { readonly type: 'card.read'; readonly read: CardRead }
  /** A card could not be read. `why` is a text for people. It is present only if it adds something to `code`. */
  | {
      readonly type: 'card.error';
      readonly entry: ReaderEntryMode;
      readonly code: CardErrorCode;
      readonly why?: string;
    }
  | { readonly type: 'card.removed'; readonly entry: ReaderEntryMode }
  | { readonly type: 'reader.lost'; readonly why: string }
  | { readonly type: 'reader.back'; readonly info: ReaderInfo };

/** The reader that answered a greeting. */
export interface ReaderInfo {
  readonly driver: string;
  /** The reader's name for people, such as `PN532 firmware 1.6`. */
  readonly description: string;
  readonly entries: readonly ReaderEntryMode[];
}

/** A terminal's request for a card. */
export interface ArmRequest {
  readonly entries: readonly ReaderEntryMode[];
  /** The amount to pay, in whole minor units. */
  readonly amount: number;
  /** The currency's ISO 4217 letters. */
  readonly currency: string;
  /** When this signal aborts, the reader is disarmed. */
  readonly signal: AbortSignal;
}

/**
 * One reader on one open line. A factory makes the driver for the line. The driver is then opened, armed any number of
 * times (one after the other), and closed together with its line.
 */
export interface ReaderDriver {
  /**
   * Greets the device, and says which reader answered.
   * @throws ReaderOpenError WRONG_DEVICE or NO_ANSWER
   */
  open(signal: AbortSignal): Promise<ReaderInfo>;
  /**
   * Watches for cards. For each card, emits an event when the card is present, then an event that says that the card
   * was read (or why not), and at last an event when the card was removed. Resolves when `signal` aborts or the line
   * is lost (reported as reader.lost). The promise never rejects because of a card or a lost line.
   */
  arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void>;
  /** Releases the card and closes the line. */
  close(): Promise<void>;
}

/** Thrown if the line is gone. */
export class TransportClosedError extends Error {}

/** A failure that concerns one card. The reader still works. */
export class CardError extends Error {
  readonly code: CardErrorCode;
  constructor(code: CardErrorCode, message: string = code) {
    super(message);
    this.code = code;
  }
}

type ReaderOpenCode = 'NO_PORT' | 'PERMISSION' | 'BUSY' | 'WRONG_DEVICE' | 'NO_ANSWER' | 'FAILED';

/** Thrown if a reader could not be opened. The message is one line that says what to do. */
export class ReaderOpenError extends Error {
  readonly code: ReaderOpenCode;
  constructor(code: ReaderOpenCode, message: string) {
    super(message);
    this.code = code;
  }
}
