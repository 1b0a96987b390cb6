import type { PaymentBrand } from '../../shared/nexo/enums.ts';

/** The application each brand's cards carry, for cards of which only the brand is known: keyed ones, stripes. */
export const brandApplications: Record<PaymentBrand, { readonly aid: string; readonly label: string }> = {
  visa: { aid: 'A0000000031010', label: 'VISA' },
  mc: { aid: 'A0000000041010', label: 'MASTERCARD' },
  amex: { aid: 'A00000002501', label: 'AMERICAN EXPRESS' },
  maestro: { aid: 'A0000000043060', label: 'MAESTRO' },
  diners: { aid: 'A0000001523010', label: 'DINERS CLUB' },
  discover: { aid: 'A0000001523010', label: 'DISCOVER' },
  jcb: { aid: 'A0000000651010', label: 'JCB' },
  cup: { aid: 'A000000333010102', label: 'UNIONPAY' },
  interac_card: { aid: 'A0000002771010', label: 'INTERAC' },
};
