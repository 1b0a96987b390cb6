import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';
import { type PaymentContext, totalMinor } from './payment-context.ts';

/** What the acquirer host is asked about a payment. No full number leaves the terminal. */
export function authorization(payment: PaymentContext): Extract<AcquirerRequest, { Type: 'Authorize' }> {
  const { order, used, onlinePin } = payment;
  if (!used) throw new Error('an authorization needs a card');
  return {
    Type: 'Authorize',
    PaymentReference: order.sale.transactionId,
    Currency: order.currency,
    RequestedAmount: order.requestedMinor,
    TotalAmount: totalMinor(payment),
    Card: {
      Brand: used.application.brand,
      MaskedPan: used.card.maskedPan,
      EntryMode: used.entryMode,
      ...(used.card.host ? { Behaviour: used.card.host } : {}),
    },
    ...(onlinePin ? { OnlinePin: onlinePin } : {}),
  };
}
