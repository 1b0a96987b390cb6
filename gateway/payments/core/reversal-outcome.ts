import type { ReversalResponse } from '../../../shared/nexo/bodies.ts';
import { decodePairs } from '../../../shared/nexo/pairs.ts';
import { acquirerOf, type PaymentOutcome, receiptOf, referenceOf } from './outcome.ts';
import type { Payment } from './states.ts';

/**
 * Reads a terminal's answer to a reversal. The terminal read no card, and the currency is that of the reversed payment.
 *
 * @throws URIError if the answer's percent-encoding is broken
 */
export function reversalOutcome(response: ReversalResponse, { currency }: Payment): PaymentOutcome {
  const { Response, SaleData, POIData, ReversedAmount, PaymentAcquirerData, PaymentReceipt } = response;
  const failed = Response.Result === 'Failure';
  return {
    payment: SaleData.SaleTransactionID.TransactionID,
    result: failed ? 'failure' : 'success',
    ...(failed && { reason: Response.ErrorCondition ?? 'Refusal' }),
    ...(Response.AdditionalResponse !== undefined && {
      notes: [...decodePairs(Response.AdditionalResponse)],
    }),
    ...(SaleData.SaleReferenceID !== undefined && { saleReference: SaleData.SaleReferenceID }),
    ...(ReversedAmount !== undefined && { amounts: { currency, authorized: ReversedAmount } }),
    references: {
      terminal: referenceOf(POIData.POITransactionID),
      ...(POIData.AttemptID !== undefined && { attempt: POIData.AttemptID }),
      ...(PaymentAcquirerData && { acquirer: acquirerOf(PaymentAcquirerData) }),
    },
    ...(PaymentReceipt && { receipts: PaymentReceipt.map(receiptOf) }),
  };
}
