export type {
  Books,
  CreditExplanation as Credit,
  DebitExplanation as DebitExplained,
  DebitSummary as Debit,
  Event as StoredEvent,
  Explanation as PaymentExplained,
  LedgerEntry,
  PaymentSummary as Payment,
  RefundExplanation as Refund,
  Webhook,
  WebhookDelivery as Delivery,
} from '../../../client/openapi-types.ts';
