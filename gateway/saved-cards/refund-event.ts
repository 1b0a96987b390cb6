import { formatDecimalAmount } from '../../shared/money.ts';
import type { EventType } from '../events/schemas.ts';
import type { NewEvent } from '../events/stored-event.ts';
import type { RefundRow } from '../store/rows/refunds.ts';

type RefundEventType = Extract<EventType, `payments.refunds.${string}`>;

const types = {
  processing: 'payments.refunds.created',
  submitted: 'payments.refunds.submitted',
  failed: 'payments.refunds.failed',
} as const satisfies Record<RefundRow['status'], RefundEventType>;

/** Makes the event for a refund that has changed its status (B103). */
export function makeRefundEvent(refund: RefundRow): NewEvent<RefundEventType> {
  return {
    accountId: refund.account_id,
    environment: refund.environment,
    type: types[refund.status],
    resourceId: refund.id,
    data: {
      refundId: refund.id,
      transactionId: refund.debit_id,
      status: refund.status,
      amount: formatDecimalAmount(refund.amount, refund.currency),
      reason: refund.reason,
      ...(refund.reason_details === null ? {} : { reasonDetails: refund.reason_details }),
    },
  };
}
