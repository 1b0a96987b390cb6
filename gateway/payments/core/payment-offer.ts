import type { PaymentRow } from '../../store/rows/payments.ts';

/**
 * The message that offers a payment to the gateway that owns the terminal. Another gateway has accepted the payment.
 * The message has columns of the payment's row. The owner need not read the row first, because the database accepts the
 * owner's writes only if the row has the same values as the message.
 */
export type GatewayPaymentOffer = Omit<
  PaymentRow,
  'key_use' | 'request_hash' | 'unknown_fields' | 'sale_reference_id' | 'dialect' | 'dialect_data'
>;

/** Makes the message (offer) that tells a terminal's owner about a payment that this gateway has accepted. */
export function makeGatewayPaymentOffer(row: PaymentRow): GatewayPaymentOffer {
  const {
    key_use: _,
    request_hash: __,
    unknown_fields: ___,
    sale_reference_id: ____,
    dialect: _____,
    dialect_data: ______,
    ...offer
  } = row;
  return offer;
}
