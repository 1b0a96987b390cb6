import { z } from 'zod';
import { paymentBrand } from '../../shared/nexo/enums.ts';

const environment = z.enum(['sandbox', 'production']);

/** An identifier of the operator's choice: it goes into paths. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, . _ or -');
const chosenId = id.optional().meta({ description: 'Made when absent' });

export const contactInput = z
  .object({
    id: chosenId,
    accountId: z.string(),
    environment: environment.default('sandbox'),
    name: z.string().min(1).max(60),
    email: z.email().max(120).optional(),
  })
  .meta({ id: 'ContactInput' });
export type ContactInput = z.input<typeof contactInput>;

export const creditCardInput = z
  .object({
    id: chosenId,
    card: z
      .string()
      .regex(/^[a-z0-9 -]{1,40}$/)
      .meta({
        description: 'A test card, by its id or its number; the number is not kept',
        example: '4242 4242 4242 4242',
      }),
    expiry: z
      .string()
      .regex(/^(0[1-9]|1[0-2])\d{2}$/, 'must be MMYY')
      .optional()
      .meta({ description: 'MMYY; far ahead when absent. Once past, the card declines: expiredCard' }),
  })
  .meta({ id: 'CreditCardInput' });
export type CreditCardInput = z.infer<typeof creditCardInput>;

export const creditCardChanges = creditCardInput
  .pick({ card: true, expiry: true })
  .partial()
  .meta({ id: 'CreditCardChanges' });
export type CreditCardChanges = z.infer<typeof creditCardChanges>;

/** A saved card as the operator sees it: its number is nowhere. */
export const creditCard = z
  .object({
    id: z.string(),
    contactId: z.string(),
    brand: paymentBrand,
    maskedNumber: z.string(),
    expiry: z.string().meta({ description: 'MMYY' }),
    fingerprint: z.string().meta({ description: 'The same for the same number within an account' }),
    testCard: z.string().meta({ description: 'The test card it behaves as' }),
    behaviour: z.string().meta({ description: 'What it does, in words' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'CreditCard', description: 'A tokenized credit card of a contact' });
export type CreditCard = z.infer<typeof creditCard>;

export const contact = z
  .object({
    id: z.string(),
    accountId: z.string(),
    environment,
    name: z.string(),
    email: z.string().nullable(),
    creditCards: z.array(creditCard),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact', description: 'A customer of an account, with saved cards' });
export type Contact = z.infer<typeof contact>;

export const bankAccountInput = z
  .object({
    id: chosenId,
    accountId: z.string(),
    environment: environment.default('sandbox'),
    name: z.string().min(1).max(60),
    number: z
      .string()
      .regex(/^[A-Za-z0-9 ]{4,42}$/)
      .optional()
      .meta({ description: 'IBAN or account number; only its end is kept' }),
  })
  .meta({ id: 'BankAccountInput' });
export type BankAccountInput = z.input<typeof bankAccountInput>;

export const bankAccount = z
  .object({
    id: z.string(),
    accountId: z.string(),
    environment,
    name: z.string(),
    maskedNumber: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'BankAccount', description: 'An account of the merchant, to receive and send funds' });
export type BankAccount = z.infer<typeof bankAccount>;
