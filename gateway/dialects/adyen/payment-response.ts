import { isoTime } from '../../../shared/clock.ts';
import { encodePairs, percentEncode } from '../../../shared/nexo/pairs.ts';
import type { OutcomeReceipt, OutcomeReceiptLine, PaymentOutcome } from '../../payments/core/outcome.ts';
import type { MessageHeader, SaleData } from './message.ts';
import type { MessageRefusedError } from './order.ts';

/** The parts of a request that its answers repeat. These parts are stored with the payment, as JSON. */
export interface EchoedRequestParts {
  readonly header: MessageHeader;
  /** The data of the sale; a reversal may have none. */
  readonly sale?: SaleData;
  readonly metadata: Readonly<Record<string, string>>;
  /** For a reversal: the field of the request that names the payment to reverse. */
  readonly original?: object;
  /** Set for a refund, and absent for a payment. */
  readonly paymentType?: 'Refund';
}

/** Gives nexo's name for the kind of a request and its answer. */
export function readRequestCategory({ original }: EchoedRequestParts): 'Payment' | 'Reversal' {
  return original ? 'Reversal' : 'Payment';
}

/**
 * Makes the PaymentResponse or ReversalResponse for an outcome. The response has the form that Adyen's terminals send.
 */
export function makePaymentResponse(
  repeated: EchoedRequestParts,
  outcome: PaymentOutcome,
  busyWith?: string,
) {
  const { sale, original } = repeated;
  const { result, references, amounts, receipts = [] } = outcome;
  const POIData = { POITransactionID: transactionId(references?.terminal) };
  const PaymentReceipt = result === 'success' ? receipts.map(receiptOf) : [];
  const Response = responseOf(repeated, outcome, busyWith);
  if (!original)
    return { Response, SaleData: sale, POIData, ...paymentResult(repeated, outcome), PaymentReceipt };
  return {
    Response,
    POIData,
    OriginalPOITransaction: original,
    ...(amounts && { ReversedAmount: amounts.authorized }),
    PaymentReceipt,
  };
}

function responseOf(
  { metadata }: EchoedRequestParts,
  { result, reason, notes = [] }: PaymentOutcome,
  busyWith?: string,
) {
  const said = [
    ...notes,
    ...(busyWith === undefined ? [] : [['serviceId', busyWith] as const]),
    ...Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value] as const),
  ];
  return {
    Result: result === 'success' ? 'Success' : 'Failure',
    ...(reason && { ErrorCondition: reason }),
    ...(said.length > 0 && { AdditionalResponse: encodePairs(said) }),
  };
}

/**
 * Makes the answer for a payment that was not begun. In place of a transaction's identifier, the answer has the
 * ServiceID of the message.
 */
export function makeRefusedPaymentResponse(
  repeated: EchoedRequestParts,
  { condition, message }: MessageRefusedError,
  now: number,
) {
  const outcome: PaymentOutcome = {
    payment: '',
    result: 'failure',
    reason: condition,
    notes: [['message', message]],
    references: { terminal: { id: repeated.header.ServiceID, at: isoTime(now) } },
  };
  return makePaymentResponse(repeated, outcome);
}

/** Makes placeholder data for an answer that has no transaction. Tills expect a transaction in every answer. */
export function makePlaceholderTransaction({ ServiceID }: MessageHeader, now: number) {
  return { POITransactionID: transactionId({ id: ServiceID, at: isoTime(now) }) };
}

function paymentResult(
  { paymentType }: EchoedRequestParts,
  { card, amounts, verification, online, references }: PaymentOutcome,
) {
  if (!card) return {};
  const { acquirer } = references ?? {};
  return {
    PaymentResult: {
      PaymentType: paymentType ?? 'Normal',
      PaymentInstrumentData: {
        PaymentInstrumentType: 'Card',
        CardData: {
          PaymentBrand: card.brand,
          MaskedPan: card.maskedNumber,
          EntryMode: card.entryModes,
          CardCountryCode: card.country,
          SensitiveCardData: {
            ...(card.sequence !== undefined && { CardSeqNumb: card.sequence }),
            ...(card.expiry !== undefined && { ExpiryDate: card.expiry }),
          },
        },
      },
      ...(amounts && {
        AmountsResp: {
          Currency: amounts.currency,
          AuthorizedAmount: amounts.authorized,
          ...(amounts.tip !== undefined && { TipAmount: amounts.tip }),
        },
      }),
      ...(online !== undefined && { OnlineFlag: online }),
      ...(verification && { AuthenticationMethod: verification }),
      ...(acquirer && {
        PaymentAcquirerData: {
          MerchantID: acquirer.merchant,
          AcquirerPOIID: acquirer.terminal,
          ...(acquirer.transaction && { AcquirerTransactionID: transactionId(acquirer.transaction) }),
          ...(acquirer.approvalCode !== undefined && { ApprovalCode: acquirer.approvalCode }),
        },
      }),
    },
  };
}

function transactionId({ id, at }: { id: string; at: string } = { id: '', at: '' }) {
  return { TransactionID: id, TimeStamp: at };
}

function receiptOf({ for: whom, signature, lines }: OutcomeReceipt) {
  return {
    DocumentQualifier: whom === 'cashier' ? 'CashierReceipt' : 'CustomerReceipt',
    RequiredSignatureFlag: signature,
    OutputContent: { OutputFormat: 'Text', OutputText: lines.map(lineOf) },
  };
}

/**
 * Makes a line of a receipt. If the line has no name, only its key is written, as in the filler lines of Adyen's
 * receipts.
 */
function lineOf({ text: { name, value, key }, style, ends }: OutcomeReceiptLine) {
  const pairs: [string, string][] = [];
  if (name !== '') pairs.push(['name', name]);
  if (value !== undefined) pairs.push(['value', value]);
  const text = encodePairs(pairs);
  return {
    Text: `${text}${text === '' ? '' : '&'}key=${percentEncode(key)}`,
    ...(style === 'bold' && { CharacterStyle: 'Bold' }),
    EndOfLineFlag: ends,
  };
}
