import type { PaymentRow } from '../../store/rows/payments.ts';

/**
 * A payment as one gateway offers it to the gateway that owns its terminal: columns of its row. The owner delivers it
 * in a batch that succeeds only if the row has these values, so it need not read the row first.
 */
export type Offer = Omit<
  PaymentRow,
  'key_use' | 'request_hash' | 'unknown_fields' | 'sale_reference_id' | 'dialect' | 'dialect_data'
>;
