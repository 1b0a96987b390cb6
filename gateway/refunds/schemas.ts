import { z } from 'zod';
import { refundStatuses } from '../store/rows/refunds.ts';

/** The possible reasons for a refund (B88). */
const refundReasons = [
  'customer_request',
  'duplicate',
  'fraudulent',
  'product_not_received',
  'other',
] as const;

const reasonDetails = z.string().max(1000);

/** The body of a request for a refund (B83). */
export const refundBodySchema = z
  .object({
    amount: z
      .number()
      .meta({ description: 'The amount in major units; at most the refundable amount', example: 10 }),
    reason: z.enum(refundReasons),
    reason_details: reasonDetails.optional().meta({ description: 'Free text' }),
  })
  .meta({ id: 'RefundRequest' });
export type RefundBody = z.infer<typeof refundBodySchema>;

/** A refund (B83, B85). */
export const refundSchema = z
  .object({
    id: z.uuid().meta({
      description: 'The identifier of the refund. The events about the refund contain this identifier, too',
    }),
    amount: z.number(),
    reason: z.enum(refundReasons),
    reason_details: reasonDetails.optional(),
    status: z.enum(refundStatuses),
  })
  .meta({ id: 'Refund', description: 'A refund: money of a debit that goes back to the customer' });
export type Refund = z.infer<typeof refundSchema>;

/**
 * The amounts of a debit: the captured amount, the refunded amount, and the amount that can still be refunded (B82).
 */
export const refundSummarySchema = z
  .object({
    transaction_id: z.uuid().meta({ description: 'The debit id' }),
    captured_amount: z.number(),
    submitted_refund_amount: z.number(),
    processing_refund_amount: z.number(),
    refundable_amount: z.number().meta({
      description:
        'The amount that the customer was charged, with the surcharge, minus all refunds that did not fail',
    }),
    blocked_refund_amount: z
      .number()
      .meta({ description: 'The part of the refundable amount that is blocked from refunds at present' }),
    blocked_refund_reason: z.string().nullable(),
    refunds: z.array(refundSchema),
  })
  .meta({ id: 'RefundSummary' });
export type RefundSummary = z.infer<typeof refundSummarySchema>;

/** An example for the OpenAPI document. */
export const exampleRefund = {
  id: '019b78ce-9280-7000-8000-5f3759df0004',
  amount: 10,
  reason: 'customer_request',
  reason_details: 'One of two items came back',
  status: 'processing',
} satisfies Refund;
export const exampleRefundSummary = {
  transaction_id: '019b78ce-9280-7000-8000-5f3759df0003',
  captured_amount: 25.5,
  submitted_refund_amount: 0,
  processing_refund_amount: 10,
  refundable_amount: 15.5,
  blocked_refund_amount: 0,
  blocked_refund_reason: null,
  refunds: [exampleRefund],
} satisfies RefundSummary;
