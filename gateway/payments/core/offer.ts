import { z } from 'zod';
import type { PaymentRow } from '../../store/rows/payments.ts';

/**
 * What a gateway that accepted a payment says of it to the one that has its terminal: columns of its row. That one delivers
 * it in a batch which finds them stored so, and therefore needs not read them first.
 */
export const offerSchema = z.object({
  id: z.uuid(),
  account_id: z.string(),
  environment: z.enum(['sandbox', 'production']),
  terminal_id: z.string(),
  service_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  idempotency_key: z.string().nullable(),
  accepted_at: z.int(),
  message: z.string(),
  pin_rule: z.string().nullable(),
});

export type Offer = Pick<PaymentRow, keyof z.infer<typeof offerSchema>>;

export function offerOf(row: PaymentRow): Offer {
  const { key_use: _, request_hash: __, unknown_fields: ___, sale_reference_id: ____, ...offer } = row;
  return offer;
}
