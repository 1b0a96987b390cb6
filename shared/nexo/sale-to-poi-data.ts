import { z } from 'zod';

/** What the gateway sends the terminal beside nexo's own fields, as JSON text in SaleData.SaleToPOIData. */
export const saleToPoiData = z.object({
  /** Absent: no tip prompt. Fixed values are minor units; custom is always last (B23). */
  gratuity: z
    .object({
      percentages: z.array(z.number()).max(3).optional(),
      fixed: z.array(z.int()).max(3).optional(),
      custom: z.boolean(),
      /** The total with tip must not pass this (minor units; B28, B13). */
      maximumTotal: z.int(),
    })
    .optional(),
  /** Lines at the head of the receipt: the store's name and address. */
  receiptHeader: z.array(z.string()).max(2),
  /** Merchant number printed as MID. */
  merchantId: z.string(),
  /** Every PIN counts as wrong, whatever is typed (B130). */
  pinAlwaysWrong: z.boolean().optional(),
});
export type SaleToPoiData = z.infer<typeof saleToPoiData>;
