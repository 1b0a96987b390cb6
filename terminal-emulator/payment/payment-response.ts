import { isoTime } from '../../shared/clock.ts';
import { joinJsonTexts } from '../../shared/json-list.ts';
import { toMajor } from '../../shared/money.ts';
import type { PaymentResponse, ReversalResponse } from '../../shared/nexo/bodies.ts';
import { encodePairs } from '../../shared/nexo/pairs.ts';
import type { EncodedReceipt } from '../receipts/receipt-copies.ts';
import { makeAdditionalResponse } from './additional-response.ts';
import { type EndingReason, endingForReason } from './ending.ts';
import { type PaymentContext, totalMinorOf } from './payment-context.ts';
import type { PaymentReferences } from './payment-order.ts';
import type { TerminalIdentity } from './terminal-identity.ts';

export type PaymentResult = NonNullable<PaymentResponse['PaymentResult']>;

/** The answer to a payment or a refund (PaymentResponse), or to a reversal (ReversalResponse). */
export type PaymentAnswer = PaymentResponse | ReversalResponse;

/** Gives the kind of message in which the answer is sent. */
export function answerKindOf({ givesBack }: Pick<PaymentReferences, 'givesBack'>) {
  return givesBack === 'reversal' ? 'ReversalResponse' : 'PaymentResponse';
}

export function isPaymentApproved(payment: PaymentContext): boolean {
  return payment.answer?.Approved === true && payment.reason === undefined;
}

/** Makes the terminal's answer at the end of a payment (B35), without its receipts. */
export function makePaymentAnswer(
  payment: PaymentContext,
  terminal: TerminalIdentity,
  at: number,
  attemptId: string | undefined,
): PaymentAnswer {
  const { order, answer } = payment;
  const approved = isPaymentApproved(payment);
  const condition = payment.reason
    ? endingForReason(payment.reason).condition
    : (answer?.ErrorCondition ?? 'Refusal');
  const response = {
    Response: {
      Result: approved ? ('Success' as const) : ('Failure' as const),
      ...(approved ? {} : { ErrorCondition: condition }),
      AdditionalResponse: makeAdditionalResponse(payment, terminal, at),
    },
    ...identities(order.sale, at, { attemptId, pspReference: answer?.PspReference }),
  };
  if (order.sale.givesBack !== 'reversal')
    return { ...response, PaymentResult: makePaymentResult(payment, terminal, at) };
  return {
    ...response,
    ...(approved ? { ReversedAmount: toMajor(order.requestedMinor, order.currency) } : {}),
    ...acquirerData(payment, terminal, at),
  };
}

/** Gives an answer as JSON. Only an approval has receipts. */
export function encodeResponse(response: PaymentAnswer, receipts: readonly EncodedReceipt[]): string {
  const text = JSON.stringify(response);
  if (receipts.length === 0) return text;
  return `${text.slice(0, -1)},"PaymentReceipt":${joinJsonTexts(receipts.map((receipt) => receipt.text))}}`;
}

/** Gives the card and how it was used to pay; undefined if no card was read. */
export function makePaymentResult(
  payment: PaymentContext,
  terminal: TerminalIdentity,
  at: number,
): PaymentResult | undefined {
  const { used, order, answer, tipMinor } = payment;
  if (!used || !payment.cardRead) return undefined;
  const major = (minor: number) => toMajor(minor, order.currency);
  return {
    PaymentInstrumentData: {
      PaymentInstrumentType: 'Card',
      CardData: {
        PaymentBrand: used.application.brand,
        MaskedPan: used.card.maskedPan,
        EntryMode: [used.entryMode],
        CardCountryCode: used.card.country,
        SensitiveCardData: {
          ...(used.card.sequenceNumber === undefined ? {} : { CardSeqNumb: used.card.sequenceNumber }),
          ExpiryDate: used.card.expiry,
        },
      },
    },
    ...(isPaymentApproved(payment)
      ? {
          AmountsResp: {
            Currency: order.currency,
            AuthorizedAmount: major(totalMinorOf(payment)),
            ...(tipMinor > 0 ? { TipAmount: major(tipMinor) } : {}),
          },
        }
      : {}),
    ...(payment.verification ? { AuthenticationMethod: [payment.verification] } : {}),
    OnlineFlag: answer !== undefined,
    ...acquirerData(payment, terminal, at),
  };
}

/** Gives the host's answer; undefined if the host was not asked or did not answer. */
function acquirerData({ order, answer }: PaymentContext, terminal: TerminalIdentity, at: number) {
  if (!answer) return {};
  return {
    PaymentAcquirerData: {
      MerchantID: order.merchantId,
      AcquirerPOIID: terminal.poiId,
      AcquirerTransactionID: { TransactionID: answer.PspReference, TimeStamp: isoTime(at) },
      ...(answer.AuthCode ? { ApprovalCode: answer.AuthCode } : {}),
    },
  };
}

/**
 * Gives the answer for a payment that failed outside the payment machine. Either the terminal refused the payment at
 * once, or a power cut ended the payment.
 */
export function makeFailureResponse(failure: {
  sale: PaymentReferences;
  reason: EndingReason;
  terminal: TerminalIdentity;
  at: number;
  result?: PaymentResult;
  attemptId?: string;
  more?: Record<string, string>;
}): PaymentAnswer {
  const { sale, reason, terminal, at, result, attemptId, more = {} } = failure;
  const { condition, refusalReason, message } = endingForReason(reason);
  const pairs = { ...more, message, ...(refusalReason ? { refusalReason } : {}), tid: terminal.tid };
  return {
    Response: {
      Result: 'Failure',
      ErrorCondition: condition,
      AdditionalResponse: encodePairs(Object.entries(pairs)),
    },
    ...identities(sale, at, { attemptId }),
    ...(result ? { PaymentResult: result } : {}),
  };
}

function identities(
  sale: PaymentReferences,
  at: number,
  { attemptId, pspReference }: { attemptId: string | undefined; pspReference?: string },
) {
  const transactionId = pspReference ? `${sale.tenderReference}.${pspReference}` : sale.tenderReference;
  return {
    SaleData: {
      SaleTransactionID: { TransactionID: sale.transactionId, TimeStamp: sale.timeStamp },
      SaleReferenceID: sale.saleReference,
    },
    POIData: {
      POITransactionID: { TransactionID: transactionId, TimeStamp: isoTime(at) },
      AttemptID: attemptId,
    },
    ...(sale.original ? { OriginalPOITransaction: { POITransactionID: sale.original } } : {}),
  };
}
