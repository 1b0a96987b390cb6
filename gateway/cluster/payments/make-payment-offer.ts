import type { PaymentOffer } from '../../payments/core/payment-offer.ts';
import type { PaymentRow } from '../../store/rows/payments.ts';

/** Makes the message (offer) that tells a terminal's owner about a payment that this gateway has accepted. */
export function makePaymentOffer(row: PaymentRow): PaymentOffer {
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
