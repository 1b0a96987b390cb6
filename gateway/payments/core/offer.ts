import type { PaymentRow } from '../../store/rows/payments.ts';

/**
 * A payment as the gateway that accepted it offers it to the one that has its terminal: columns of its row. That gateway delivers
 * it in a batch that succeeds only if the row has these values, so it need not read them first.
 */
export type Offer = Omit<
  PaymentRow,
  'key_use' | 'request_hash' | 'unknown_fields' | 'sale_reference_id' | 'dialect' | 'dialect_data'
>;
