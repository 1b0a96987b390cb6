import { z } from 'zod';
import { maskedPan } from './acquirer.ts';
import { entryMode, paymentBrand } from './enums.ts';

/**
 * The data that the gateway sends to the terminal besides nexo's own fields, as JSON text in SaleData.SaleToPOIData.
 */
export const saleToPoiData = z.object({
  /**
   * If absent, there is no tip prompt. Fixed values are in minor units; the choice of a custom amount is always last
   * (B23).
   */
  gratuity: z
    .object({
      percentages: z.array(z.number()).max(3).optional(),
      fixed: z.array(z.int()).max(3).optional(),
      custom: z.boolean(),
      /** The largest total with tip, in minor units (B28, B13). */
      maximumTotal: z.int(),
    })
    .optional(),
  /** Lines at the head of the receipt: the store's name and address. */
  receiptHeader: z.array(z.string()).max(2),
  /** Merchant number printed as MID. */
  merchantId: z.string(),
  /** Whether every PIN counts as wrong, whatever is typed (B130). */
  pinAlwaysWrong: z.boolean().optional(),
  /** For a reversal: what its screens and receipts show besides nexo's own fields. */
  reversal: z
    .object({
      currency: z.string().regex(/^[A-Z]{3}$/),
      /** The payment whose money is given back. */
      original: z.uuid(),
      /** The card that paid, if it is known. */
      card: z
        .object({ brand: paymentBrand, maskedNumber: maskedPan, entryMode: entryMode.optional() })
        .optional(),
      customerLanguage: z.string().optional(),
    })
    .optional(),
});
export type SaleToPoiData = z.infer<typeof saleToPoiData>;
