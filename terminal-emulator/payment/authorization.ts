import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';
import { type PaymentContext, totalMinor } from './payment-context.ts';
import { usesChip } from './used-card.ts';

/** What the acquirer host is asked about a payment in one attempt. No full number leaves the terminal. */
export function authorization(
  payment: PaymentContext,
  attemptId: string,
): Extract<AcquirerRequest, { Type: 'Authorize' }> {
  const { order, used, onlinePin } = payment;
  if (!used) throw new Error('an authorization needs a card');
  return {
    Type: 'Authorize',
    PaymentReference: order.sale.transactionId,
    AttemptID: attemptId,
    Currency: order.currency,
    RequestedAmount: order.requestedMinor,
    TotalAmount: totalMinor(payment),
    Card: {
      Brand: used.application.brand,
      ...(usesChip(used) ? { ApplicationID: used.application.aid } : {}),
      MaskedPan: used.card.maskedPan,
      EntryMode: used.entryMode,
      Behaviour: used.card.host,
    },
    OnlinePin: onlinePin,
  };
}
