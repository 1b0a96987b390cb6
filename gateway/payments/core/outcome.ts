import { asciiJson } from '../../../shared/ascii-json.ts';
import { isoTime } from '../../../shared/clock.ts';
import { jsonList } from '../../../shared/json-list.ts';
import { memoizeByObject, memoizeRecent } from '../../../shared/memoize-recent.ts';
import type {
  OutputText,
  PaymentReceipt,
  PaymentResponse,
  ReversalResponse,
} from '../../../shared/nexo/bodies.ts';
import type { AuthenticationMethod, EntryMode, ErrorCondition } from '../../../shared/nexo/enums.ts';
import { decodePairs, forEachPair } from '../../../shared/nexo/pairs.ts';
import type { Payment } from './states.ts';

/**
 * The outcome of a payment, whichever API the request came through. It has everything that the terminal answered, or
 * the failure that the gateway found. It is stored in this form, and the answer to the POS is made from it.
 */
export interface PaymentOutcome {
  readonly payment: string;
  readonly result: 'success' | 'failure';
  readonly reason?: ErrorCondition;
  /** Further fields of the terminal's answer, in its order. The same name may occur more than once. */
  readonly notes?: readonly Note[];
  readonly saleReference?: string;
  /** Amounts in major units, as the terminal sends them. For a reversal or refund, they are what was given back. */
  readonly amounts?: { readonly currency: string; readonly authorized: number; readonly tip?: number };
  readonly card?: {
    readonly brand: Card['PaymentBrand'];
    readonly maskedNumber: string;
    readonly entryModes: readonly EntryMode[];
    readonly country: string;
    /** Two or three digits that distinguish cards with the same number. */
    readonly sequence?: string;
    /** The expiry date as MMYY. */
    readonly expiry?: string;
  };
  /** How the cardholder was verified. */
  readonly verification?: readonly AuthenticationMethod[];
  readonly online?: boolean;
  /** The identifier of the other payment that kept the terminal busy, so that this payment was refused. */
  readonly busyWith?: string;
  /** Set if the terminal was not connected and never received the payment. */
  readonly unsent?: true;
  readonly references?: {
    /**
     * The terminal's reference for the payment. If the gateway ended the payment without the terminal, it is the
     * payment's ServiceID.
     */
    readonly terminal: Reference;
    readonly attempt?: string;
    readonly acquirer?: {
      readonly merchant: string;
      readonly terminal: string;
      readonly transaction?: Reference;
      readonly approvalCode?: string;
    };
  };
  readonly receipts?: readonly OutcomeReceipt[];
}

/** An outcome as it is stored. Version 0.1.0 stored the answer of the native API instead, as JSON text. */
export type StoredOutcome = PaymentOutcome | { readonly nativeAnswer: string };

export interface OutcomeReceipt {
  readonly for: 'cashier' | 'customer';
  readonly signature: boolean;
  readonly lines: readonly OutcomeReceiptLine[];
}

export interface OutcomeReceiptLine {
  readonly text: ReceiptText;
  readonly style?: 'bold' | 'normal';
  readonly ends: boolean;
}

interface ReceiptText {
  readonly name: string;
  readonly value?: string;
  readonly key: string;
}

type Note = readonly [name: string, value: string];
type Result = NonNullable<PaymentResponse['PaymentResult']>;
type Card = Result['PaymentInstrumentData']['CardData'];
type Acquirer = NonNullable<Result['PaymentAcquirerData']>;
type Answer = PaymentResponse | ReversalResponse;

interface Reference {
  readonly id: string;
  readonly at: string;
}

/**
 * Reads a terminal's answer to a payment. Only this function and `reversalResponseOutcome` know the form of answers in nexo.
 *
 * @throws URIError if the answer's percent-encoding is broken
 */
export function paymentResponseOutcome(response: PaymentResponse): PaymentOutcome {
  const { PaymentResult } = response;
  return {
    ...verdictIn(response),
    ...(PaymentResult && resultParts(PaymentResult)),
    ...evidenceIn(response, PaymentResult?.PaymentAcquirerData),
  };
}

/**
 * Reads a terminal's answer to a reversal. No card was read, and the currency is that of the reversed payment.
 *
 * @throws URIError if its percent-encoding is broken
 */
export function reversalResponseOutcome(response: ReversalResponse, { currency }: Payment): PaymentOutcome {
  const { ReversedAmount, PaymentAcquirerData } = response;
  return {
    ...verdictIn(response),
    ...(ReversedAmount !== undefined && { amounts: { currency, authorized: ReversedAmount } }),
    ...evidenceIn(response, PaymentAcquirerData),
  };
}

/** Reads which payment or reversal an answer is about, and how it ended. */
function verdictIn({ Response, SaleData }: Answer) {
  const failed = Response.Result === 'Failure';
  return {
    payment: SaleData.SaleTransactionID.TransactionID,
    result: failed ? 'failure' : 'success',
    ...(failed && { reason: Response.ErrorCondition ?? 'Refusal' }),
    ...(Response.AdditionalResponse !== undefined && {
      notes: [...decodePairs(Response.AdditionalResponse)],
    }),
    ...(SaleData.SaleReferenceID !== undefined && { saleReference: SaleData.SaleReferenceID }),
  } satisfies Partial<PaymentOutcome>;
}

/** Reads the references of a payment or a reversal, and its receipts. */
function evidenceIn({ POIData, PaymentReceipt }: Answer, acquirer: Acquirer | undefined) {
  return {
    references: {
      terminal: referenceOf(POIData.POITransactionID),
      ...(POIData.AttemptID !== undefined && { attempt: POIData.AttemptID }),
      ...(acquirer && { acquirer: acquirerOf(acquirer) }),
    },
    ...(PaymentReceipt && { receipts: PaymentReceipt.map(receiptOf) }),
  } satisfies Partial<PaymentOutcome>;
}

/** Makes the outcome of a failure that the gateway itself found. `at` is in milliseconds since 1970. */
export function gatewayFailureOutcome(
  payment: { id: string; serviceId: string; saleReferenceId?: string | undefined },
  found: {
    reason: ErrorCondition;
    message: string;
    at: number;
    busyWith?: string;
    unsent?: true;
  },
): PaymentOutcome {
  const { id, serviceId, saleReferenceId: saleReference } = payment;
  const { reason, message, at, busyWith, unsent } = found;
  return {
    payment: id,
    result: 'failure',
    reason,
    notes: [['message', message]],
    ...(saleReference !== undefined && { saleReference }),
    ...(busyWith !== undefined && { busyWith }),
    ...(unsent && { unsent }),
    references: { terminal: { id: serviceId, at: isoTime(at) } },
  };
}

/** Gives the further fields of the outcome by name. If a name occurs twice, the second value is kept. */
export function notesByName({ notes = [] }: PaymentOutcome): Readonly<Record<string, string>> {
  return Object.fromEntries(notes);
}

/** Gives one of the outcome's further fields. */
export function outcomeNote({ notes = [] }: PaymentOutcome, name: string): string | undefined {
  return notes.findLast(([one]) => one === name)?.[1];
}

/** Reads the outcome from a payment's row; undefined while the payment is open. */
export function storedOutcome(row: {
  answer: string | null;
  outcome: string | null;
}): StoredOutcome | undefined {
  if (row.outcome !== null) return JSON.parse(row.outcome) as PaymentOutcome;
  return row.answer === null ? undefined : { nativeAnswer: row.answer };
}

/** Writes an outcome as the JSON text that is stored. */
export function outcomeJson(outcome: PaymentOutcome): string {
  const { receipts, ...rest } = outcome;
  if (!receipts) return asciiJson(rest);
  return `${asciiJson(rest).slice(0, -1)},"receipts":${jsonList(receipts.map(receiptText))}}`;
}

function receiptText({ for: whom, signature, lines }: OutcomeReceipt): string {
  return `{"for":"${whom}","signature":${signature},"lines":[${lines.map(lineText).join(',')}]}`;
}

const lineText = memoizeByObject<OutcomeReceiptLine, string>(asciiJson);

function resultParts({ PaymentInstrumentData, AmountsResp, AuthenticationMethod, OnlineFlag }: Result) {
  const { CardData } = PaymentInstrumentData;
  const { Currency, AuthorizedAmount, TipAmount } = AmountsResp ?? {};
  return {
    ...(Currency !== undefined &&
      AuthorizedAmount !== undefined && {
        amounts: {
          currency: Currency,
          authorized: AuthorizedAmount,
          ...(TipAmount !== undefined && { tip: TipAmount }),
        },
      }),
    card: {
      brand: CardData.PaymentBrand,
      maskedNumber: CardData.MaskedPan,
      entryModes: CardData.EntryMode,
      country: CardData.CardCountryCode,
      ...sensitiveParts(CardData.SensitiveCardData),
    },
    ...(AuthenticationMethod && { verification: AuthenticationMethod }),
    online: OnlineFlag,
  };
}

function sensitiveParts(data: Card['SensitiveCardData']) {
  return {
    ...(data?.CardSeqNumb !== undefined && { sequence: data.CardSeqNumb }),
    ...(data?.ExpiryDate !== undefined && { expiry: data.ExpiryDate }),
  };
}

/** Gives the acquirer's identifiers of the payment: merchant, terminal, transaction and approval code. */
function acquirerOf(data: Acquirer) {
  return {
    merchant: data.MerchantID,
    terminal: data.AcquirerPOIID,
    ...(data.AcquirerTransactionID && { transaction: referenceOf(data.AcquirerTransactionID) }),
    ...(data.ApprovalCode !== undefined && { approvalCode: data.ApprovalCode }),
  };
}

function referenceOf({
  TransactionID: id,
  TimeStamp: at,
}: {
  TransactionID: string;
  TimeStamp: string;
}): Reference {
  return { id, at };
}

function receiptOf({
  DocumentQualifier,
  RequiredSignatureFlag,
  OutputContent,
}: PaymentReceipt): OutcomeReceipt {
  return {
    for: DocumentQualifier === 'CashierReceipt' ? 'cashier' : 'customer',
    signature: RequiredSignatureFlag,
    lines: OutputContent.OutputText.map(lineOf),
  };
}

function lineOf({ Text, CharacterStyle, EndOfLineFlag: ends }: OutputText): OutcomeReceiptLine {
  const { plain, bold, normal } = lines(Text);
  const styled = CharacterStyle === undefined ? plain : CharacterStyle === 'Bold' ? bold : normal;
  return ends ? styled.ending : styled.open;
}

/**
 * Reads receipt lines, and keeps them with their JSON, because most lines of a receipt were also on the one before. Two
 * equal lines in the same style are the same object.
 */
const lines = memoizeRecent((encoded) => {
  const text = textIn(encoded);
  const styled = (style: Pick<OutcomeReceiptLine, 'style'>) => ({
    ending: { text, ...style, ends: true },
    open: { text, ...style, ends: false },
  });
  return { plain: styled({}), bold: styled({ style: 'bold' }), normal: styled({ style: 'normal' }) };
});

function textIn(encoded: string): ReceiptText {
  let name = '';
  let value: string | undefined;
  let key = '';
  forEachPair(encoded, (field, content) => {
    if (field === 'name') name = content;
    else if (field === 'value') value = content;
    else if (field === 'key') key = content;
  });
  return value === undefined ? { name, key } : { name, value, key };
}
