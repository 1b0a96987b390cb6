import { z } from 'zod';
import { maskedPanSchema } from './acquirer.ts';
import { entryModeSchema, paymentBrandSchema } from './enums.ts';

/**
 * The data that the gateway sends to the terminal in addition to nexo's own fields. It is JSON text in
 * SaleData.SaleToPOIData.
 */
export const saleToPoiDataSchema = z.object({
  /**
   * The tips to offer; absent if the terminal must not ask for a tip. Fixed values are in minor units. If the customer
   * may type another amount, the terminal offers this as the last choice (B23).
   */
  gratuity: z
    .object({
      percentages: z.array(z.number()).max(3).optional(),
      fixed: z.array(z.int()).max(3).optional(),
      custom: z.boolean(),
      /** The maximum total, tip included, in minor units (B28, B13). */
      maximumTotal: z.int(),
    })
    .optional(),
  /** The lines at the head of the receipt: the store's name and address. */
  receiptHeader: z.array(z.string()).max(2),
  /** The merchant's number, which is printed as MID. */
  merchantId: z.string(),
  /** Whether every typed PIN counts as wrong (B130). */
  pinAlwaysWrong: z.boolean().optional(),
  /**
   * The screens and receipts of a reversal need these facts, but nexo has no fields for them. They are present only for
   * a reversal.
   */
  reversal: z
    .object({
      currency: z.string().regex(/^[A-Z]{3}$/),
      /** The payment whose money is given back. */
      original: z.uuid(),
      /** The card that paid, if the gateway knows it. */
      card: z
        .object({
          brand: paymentBrandSchema,
          maskedNumber: maskedPanSchema,
          entryMode: entryModeSchema.optional(),
        })
        .optional(),
      customerLanguage: z.string().optional(),
    })
    .optional(),
});
export type SaleToPoiData = z.infer<typeof saleToPoiDataSchema>;
