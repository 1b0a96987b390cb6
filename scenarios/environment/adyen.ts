import type { Order } from './order.ts';
import { ScenarioError } from './scenario-context.ts';

/** What names a message of Adyen's Terminal API, and so the payment that it begins. */
export interface AdyenName {
  readonly SaleID: string;
  readonly POIID: string;
  readonly ServiceID: string;
}

/** Where every message goes. */
export const adyenPath = '/sync';

const entryModes: Readonly<Record<string, string>> = {
  icc: 'ICC',
  contactless: 'Contactless',
  magStripe: 'MagStripe',
  keyed: 'Keyed',
};

/** The message that asks a terminal to collect an order. @throws ScenarioError for what it cannot say */
export function paymentMessage(order: Order, currency: string, name: AdyenName): object {
  const {
    amount,
    reference = name.ServiceID,
    tip,
    brands,
    entry,
    language,
    debitPreferred,
    category,
  } = order;
  if (tip !== undefined && typeof tip !== 'boolean')
    throw new ScenarioError('a point of sale of Adyen does not choose the tips that are offered: tip: true');
  const conditions = present({
    AllowedPaymentBrand: brands,
    ForceEntryMode: entry?.map((mode) => entryModes[mode] ?? mode),
    CustomerLanguage: language,
    DebitPreferredFlag: debitPreferred,
    MerchantCategoryCode: category,
  });
  const body = {
    SaleData: {
      SaleTransactionID: { TransactionID: reference, TimeStamp: '2026-01-01T00:00:00.000Z' },
      ...(tip && { SaleToAcquirerData: 'tenderOption=AskGratuity' }),
    },
    PaymentTransaction: {
      AmountsReq: { Currency: currency, RequestedAmount: amount },
      ...(Object.keys(conditions).length > 0 && { TransactionConditions: conditions }),
    },
    ...order.body,
  };
  return message('Payment', name, body);
}

/** The message that asks what became of a payment, or aborts it; `ServiceID` is its own. */
export function messageAbout(
  category: 'TransactionStatus' | 'Abort',
  ServiceID: string,
  payment: AdyenName,
  receipts = true,
): object {
  const MessageReference = { MessageCategory: 'Payment', ...payment };
  const more = category === 'Abort' ? { AbortReason: 'MerchantAbort' } : { ReceiptReprintFlag: receipts };
  return message(category, { ...payment, ServiceID }, { ...more, MessageReference });
}

/** The same payment with another amount or ServiceID. */
export function changedPayment(
  sent: unknown,
  { amount, name }: { amount: number | undefined; name: AdyenName },
): object {
  const { SaleToPOIRequest } = sent as { SaleToPOIRequest: { PaymentRequest: Record<string, never> } };
  const { PaymentRequest } = SaleToPOIRequest;
  const { PaymentTransaction } = PaymentRequest as { PaymentTransaction?: { AmountsReq?: object } };
  if (amount === undefined) return message('Payment', name, PaymentRequest);
  const AmountsReq = { ...PaymentTransaction?.AmountsReq, RequestedAmount: amount };
  return message('Payment', name, {
    ...PaymentRequest,
    PaymentTransaction: { ...PaymentTransaction, AmountsReq },
  });
}

function message(category: string, name: AdyenName, body: object): object {
  return {
    SaleToPOIRequest: {
      MessageHeader: {
        ProtocolVersion: '3.0',
        MessageClass: 'Service',
        MessageCategory: category,
        MessageType: 'Request',
        ...name,
      },
      [`${category}Request`]: body,
    },
  };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
