import type { PaymentRow } from '../../store/rows/payments.ts';

/**
 * What a gateway that accepted a payment says of it to the one that has its terminal: columns of its row. That one delivers
 * it in a batch which finds them stored so, and therefore needs not read them first.
 */
export type Offer = Omit<
  PaymentRow,
  'key_use' | 'request_hash' | 'unknown_fields' | 'sale_reference_id' | 'dialect' | 'dialect_data'
>;
