import { z } from 'zod';
import { creditStates } from '../store/rows/credits.ts';

/** The body of a request for a payment link (B93). */
export const creditBodySchema = z
  .object({
    amount: z.number().meta({
      description:
        'The amount in major units of the account’s currency, above 0, with at most as many decimals as the currency has',
      example: 25.5,
    }),
    statement: z.string().min(1).max(22).meta({ description: "The text on the customer's statement" }),
    note: z.string().max(255).optional(),
    from_bank_account: z.string().min(1).meta({ description: "The merchant's bank account" }),
    contact_id: z.string().min(1).meta({ description: 'The customer who receives the money' }),
  })
  .meta({ id: 'CreditRequest' });
export type CreditBody = z.infer<typeof creditBodySchema>;

/** The answer to a request for a payment link (B93). */
export const creditSchema = z
  .object({
    identifier: z.uuid(),
    link: z.url().meta({ description: 'The link for the customer. The link works once' }),
    amount: z.number(),
  })
  .meta({
    id: 'Credit',
    description: 'A payment to a customer, and the link at which the customer claims the money',
  });

/** An example for the OpenAPI document. */
export const exampleCredit = {
  identifier: '019b78ce-9280-7000-8000-5f3759df0007',
  link: 'http://127.0.0.1:8080/pay/Zk9Qd0uZl2mVYw3T1q6hJ4sN8cXbR5gKpEaHfUiOtyM',
  amount: 25.5,
};

/** The security question that an account's customers must answer, and the right answer (B99). */
export const securityQuestionInputSchema = z
  .object({
    question: z.string().trim().min(1).max(200),
    answer: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({ description: 'The answer. It is stored as a hash; upper and lower case do not matter' }),
  })
  .meta({ id: 'SecurityQuestionInput' });
export type SecurityQuestionInput = z.infer<typeof securityQuestionInputSchema>;

/** The kinds of bank account numbers. */
export const bankAccountKinds = ['iban', 'us', 'ca'] as const;
export type BankAccountKind = (typeof bankAccountKinds)[number];

/**
 * A credit as the operator sees it. The link is left out, because only the POS that made the credit received the link.
 */
export const controlCreditSchema = z
  .object({
    id: z.uuid(),
    accountId: z.string(),
    environment: z.enum(['sandbox', 'production']),
    contactId: z.string(),
    fromBankAccountId: z.string(),
    amount: z.number(),
    currency: z.string(),
    statement: z.string(),
    note: z.string().nullable(),
    state: z.enum(creditStates),
    why: z.string().meta({ description: 'An explanation of the state in words' }),
    refusal: z.string().nullable().meta({
      description:
        'The reason with which the bank will refuse the payment once the customer accepts it; null if no test has set a reason',
    }),
    lockedUntil: z.iso.datetime().nullable().meta({
      description: 'The time until which the link is locked because of too many wrong answers',
    }),
    paidTo: z
      .object({ kind: z.enum(bankAccountKinds), maskedNumber: z.string() })
      .nullable()
      .meta({ description: "The last digits of the customer's bank account" }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'CreditExplanation' });
export type ControlCredit = z.infer<typeof controlCreditSchema>;
