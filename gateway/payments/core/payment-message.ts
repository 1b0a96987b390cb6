import { isoTime } from '../../../shared/clock.ts';
import { toMajor } from '../../../shared/money.ts';
import type { PaymentRequest, ReversalRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import type { Account } from '../../accounts/schemas.ts';
import type { PaymentKind } from '../../store/rows/payments.ts';
import type { Terminal } from '../../terminals/directory.ts';
import { makeOriginalTransactionData } from './giving-back.ts';
import type { PaymentOrder } from './order.ts';

interface Draft {
  id: string;
  kind: PaymentKind;
  acceptedAt: number;
  pinRule: string | undefined;
}

/**
 * Makes the nexo message for a terminal. It is a ReversalRequest if the order reverses a payment, otherwise a
 * PaymentRequest.
 */
export function makePaymentMessage(
  order: PaymentOrder,
  payment: Draft,
  terminal: Terminal,
  account: Account,
): PaymentRequest | ReversalRequest {
  const { original, amount, currency, tips, conditions } = order;
  const { name, address } = terminal.store;
  const beside: SaleToPoiData = {
    gratuity: tips,
    receiptHeader: [name, address].filter((line) => line !== ''),
    merchantId: account.merchantId,
    ...(payment.pinRule === undefined ? {} : { pinAlwaysWrong: true }),
  };
  if (original) {
    const { reversal, ...fields } = makeOriginalTransactionData(original, {
      amount,
      currency,
      language: conditions?.CustomerLanguage,
    });
    return {
      SaleData: saleData(order, payment, { ...beside, reversal }),
      ...fields,
      ReversalReason: 'MerchantCancel',
    };
  }
  return {
    SaleData: saleData(order, payment, beside),
    ...(payment.kind === 'refund' && { PaymentData: { PaymentType: 'Refund' } }),
    PaymentTransaction: {
      AmountsReq: { Currency: currency, RequestedAmount: toMajor(amount, currency) },
      TransactionConditions: conditions,
    },
  };
}

function saleData(
  { saleReference, printedReference = saleReference }: PaymentOrder,
  { id, acceptedAt }: Draft,
  beside: SaleToPoiData,
): PaymentRequest['SaleData'] {
  return {
    SaleTransactionID: { TransactionID: id, TimeStamp: isoTime(acceptedAt) },
    SaleReferenceID: printedReference,
    SaleToPOIData: JSON.stringify(beside),
  };
}
