import type { AcquirerRequest } from '../../shared/nexo/acquirer.ts';
import { type PaymentContext, totalMinorOf } from './payment-context.ts';
import { usesChip } from './used-card.ts';

/** A request that the acquirer's host has to approve or decline. */
export type ApprovalRequest = Exclude<AcquirerRequest, { Type: 'Reverse' }>;

/**
 * Makes the request that is sent to the acquirer's host for one attempt of a payment. No full card number leaves the
 * terminal.
 */
export function makeAuthorizationRequest(payment: PaymentContext, attemptId: string): ApprovalRequest {
  const { order, onlinePin } = payment;
  const about = {
    PaymentReference: order.sale.transactionId,
    AttemptID: attemptId,
    Currency: order.currency,
  };
  if (order.sale.givesBack === 'reversal') return { Type: 'Refund', ...about, Amount: order.requestedMinor };
  const Card = cardOf(payment);
  if (order.sale.givesBack === 'refund')
    return { Type: 'Refund', ...about, Amount: order.requestedMinor, Card };
  return {
    Type: 'Authorize',
    ...about,
    RequestedAmount: order.requestedMinor,
    TotalAmount: totalMinorOf(payment),
    Card,
    OnlinePin: onlinePin,
  };
}

function cardOf({ used }: PaymentContext): Extract<AcquirerRequest, { Type: 'Authorize' }>['Card'] {
  if (!used) throw new Error('an authorization needs a card');
  return {
    Brand: used.application.brand,
    ...(usesChip(used) ? { ApplicationID: used.application.aid } : {}),
    MaskedPan: used.card.maskedPan,
    EntryMode: used.entryMode,
    Behaviour: used.card.host,
  };
}
