import type { PaymentRow } from '../../store/rows/payments.ts';

/**
 * A payment in the form in which one gateway offers it to the gateway that owns its terminal: columns of its row. The
 * owner delivers the payment in a batch that succeeds only if the row has these values, so the owner need not read the
 * row first.
 */
export type Offer = Omit<
  PaymentRow,
  'key_use' | 'request_hash' | 'unknown_fields' | 'sale_reference_id' | 'dialect' | 'dialect_data'
>;
