import { isoTime } from '../../../shared/clock.ts';
import { toMajor } from '../../../shared/money.ts';
import type { PaymentRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import type { Account } from '../../accounts/schemas.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { PaymentOrder } from './order.ts';

/** The nexo PaymentRequest that brings an order to its terminal. */
export function paymentMessage(
  order: PaymentOrder,
  payment: { id: string; acceptedAt: number; pinRule: string | undefined },
  terminal: Terminal,
  account: Account,
): PaymentRequest {
  const { amount, currency, tips, conditions, saleReference, printedReference = saleReference } = order;
  const { name, address } = terminal.store;
  const beside: SaleToPoiData = {
    gratuity: tips,
    receiptHeader: [name, address].filter((line) => line !== ''),
    merchantId: account.merchantId,
    ...(payment.pinRule === undefined ? {} : { pinAlwaysWrong: true }),
  };
  return {
    SaleData: {
      SaleTransactionID: { TransactionID: payment.id, TimeStamp: isoTime(payment.acceptedAt) },
      SaleReferenceID: printedReference,
      SaleToPOIData: JSON.stringify(beside),
    },
    PaymentTransaction: {
      AmountsReq: { Currency: currency, RequestedAmount: toMajor(amount, currency) },
      TransactionConditions: conditions,
    },
  };
}
