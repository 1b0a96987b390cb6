import { z } from 'zod';
import { currencyExponent } from '../../shared/money.ts';

const currency = z
  .string()
  .refine((code) => currencyExponent(code) !== undefined, 'must be an ISO 4217 code such as EUR, CAD or JPY');

/** What an account is made of, as the operator gives it. */
export const accountInput = z
  .object({
    id: z.string().min(1).max(64).optional().meta({ description: 'Made when absent' }),
    name: z.string().min(1).max(60),
    currency: currency.meta({ description: 'ISO 4217', example: 'EUR' }),
    transactionLimit: z.int().positive().optional().meta({
      description: 'Minor units; 10 000.00 of the currency when absent',
    }),
    magicAmounts: z
      .boolean()
      .optional()
      .meta({ description: "Whether an amount's ending chooses the outcome; true when absent" }),
    merchantId: z
      .string()
      .regex(/^[A-Za-z0-9]{1,15}$/)
      .optional()
      .meta({ description: 'Printed as MID; made when absent' }),
    cardOnFile: z.boolean().optional().meta({
      description: 'Whether saved cards can be charged and preauthorized; false when absent',
    }),
    surchargePercent: z
      .number()
      .min(0)
      .max(100)
      .multipleOf(0.0001)
      .optional()
      .meta({ description: 'Charged to the customer on top of a debit; 0 when absent' }),
  })
  .meta({ id: 'AccountInput' });
export type AccountInput = z.infer<typeof accountInput>;

export const accountChanges = accountInput.omit({ id: true }).partial().meta({ id: 'AccountChanges' });
export type AccountChanges = z.infer<typeof accountChanges>;

export const account = z
  .object({
    id: z.string(),
    name: z.string(),
    currency: z.string(),
    transactionLimit: z.int().meta({ description: 'Minor units' }),
    magicAmounts: z.boolean(),
    merchantId: z.string(),
    cardOnFile: z.boolean(),
    surchargePercent: z.number(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Account', description: 'A merchant company' });
export type Account = z.infer<typeof account>;

export const environment = z.enum(['sandbox', 'production']);

export const tokenInput = z
  .object({
    id: z.string().min(1).max(64).optional().meta({ description: 'Made when absent' }),
    accountId: z.string(),
    environment: environment.default('sandbox'),
    label: z.string().max(60).default(''),
    expiresAt: z.iso.datetime().optional().meta({ description: 'Never expires when absent' }),
    token: z
      .string()
      .regex(/^[A-Za-z0-9._~+/-]{16,200}=*$/, 'must have 16 to 200 characters that fit a bearer token')
      .optional()
      .meta({ description: 'The token itself, where the operator chooses it; made when absent' }),
  })
  .meta({ id: 'TokenInput' });
export type TokenInput = z.input<typeof tokenInput>;

export const token = z
  .object({
    id: z.string(),
    accountId: z.string(),
    environment,
    label: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token', description: 'An API token without its secret' });
export type Token = z.infer<typeof token>;

export const createdToken = token
  .extend({
    token: z
      .string()
      .optional()
      .meta({ description: 'Shown this once; absent where a token of this id existed' }),
  })
  .meta({ id: 'CreatedToken' });
export type CreatedToken = z.infer<typeof createdToken>;
