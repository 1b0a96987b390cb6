import { z } from 'zod';
import { debitStates } from '../store/rows/saved-cards.ts';

const amount = z.number().meta({
  description:
    'The amount in major units of the account’s currency, above 0, with at most as many decimals as the currency has',
  example: 25.5,
});
const statement = z
  .string()
  .min(1)
  .max(22)
  .meta({ description: "The text on the customer's statement", example: 'ORDER 1001' });
const note = z.string().max(255);

/** The body of a request for a preauthorization (B72; for the required fields see B74). */
export const preauthorizeBodySchema = z
  .object({ amount, to_bank_account_id: z.string().min(1), statement })
  .meta({ id: 'PreauthorizeRequest' });

/** The body of a request for a charge (B71). */
export const chargeBodySchema = preauthorizeBodySchema
  .extend({ note: note.optional() })
  .meta({ id: 'ChargeRequest' });

/** A debit (B70). */
export const debitSchema = z
  .object({
    debit_id: z.uuid().meta({
      description:
        'The identifier of the debit. Store this identifier, because you need it to capture or refund the debit and to match events',
    }),
    amount,
    statement: z.string(),
    note: z
      .string()
      .optional()
      .meta({ description: 'The note of the request; absent for a preauthorization' }),
    to_bank_account_id: z.string(),
    contact_id: z.string(),
    from_credit_card_id: z.string(),
    transaction_state: z.enum(debitStates),
  })
  .meta({ id: 'Debit', description: 'An amount that was taken from a saved credit card, or is held on it' });
export type Debit = z.infer<typeof debitSchema>;

/** The answer to a capture (B73). */
export const captureResponseSchema = z
  .object({ identifier: z.uuid().meta({ description: 'The debit id' }), state: z.literal('paid') })
  .meta({ id: 'CapturedDebit' });

export const cardParamsSchema = z.object({ contact_id: z.string(), credit_card_id: z.string() });
export const debitParamsSchema = z.object({ debit_id: z.string() });

/** An example for the OpenAPI document. */
export const exampleDebit = {
  debit_id: '019b78ce-9280-7000-8000-5f3759df0003',
  amount: 25.5,
  statement: 'ORDER 1001',
  to_bank_account_id: 'demo-bank-account',
  contact_id: 'demo-customer',
  from_credit_card_id: 'demo-visa',
  transaction_state: 'paid',
} satisfies Debit;
