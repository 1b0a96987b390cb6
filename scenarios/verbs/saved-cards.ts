import { z } from 'zod';
import {
  defaultBankAccountId,
  defaultContactId,
  defaultSavedCardId,
} from '../environment/config-of-needs.ts';
import { amountSchema, earlierRequestNameSchema, loneVerbValueSchema } from '../format/values.ts';
import { sendOptionFields, sendOptionsOf } from './sending.ts';
import { defineVerb, type StepContext, type Verb } from './verb.ts';

function chargeVerb(way: 'charge' | 'preauthorize', description: string): Verb {
  return defineVerb(
    way,
    description,
    {
      [way]: amountSchema,
      contact: z.string().optional(),
      card: z.string().optional().meta({ description: 'Id of a saved card' }),
      statement: z.string().optional(),
      note: z.string().optional(),
      to: z.string().optional().meta({ description: 'to_bank_account_id' }),
      body: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'Fields merged into the request body' }),
      ...sendOptionFields,
    },
    ({ pos }, step) => {
      const { contact = defaultContactId, card = defaultSavedCardId, to = defaultBankAccountId } = step;
      const { statement = 'ORDER 1001', note, body } = step;
      return pos.chargeCard(
        way,
        {
          contact: String(contact),
          card: String(card),
          body: {
            amount: Number((step as Record<string, unknown>)[way]),
            to_bank_account_id: to,
            statement,
            note,
            ...(body as object | undefined),
          },
        },
        sendOptionsOf(step as Parameters<typeof sendOptionsOf>[0]),
      );
    },
  );
}

export const findDebitOrPaymentRequest = ({ sent, latest }: StepContext, of: true | string | undefined) =>
  of === true || of === undefined ? latest('debit', 'payment') : sent(of);

const capture = defineVerb(
  'capture',
  'The POS captures a preauthorized debit in full',
  { capture: z.union([loneVerbValueSchema, earlierRequestNameSchema]), ...sendOptionFields },
  (actors, { capture: of, ...step }) =>
    actors.pos.capture(findDebitOrPaymentRequest(actors, of), sendOptionsOf(step)),
);

const refunds = defineVerb(
  'ask refunds',
  'The POS asks which refunds a debit has',
  { 'ask refunds': z.union([loneVerbValueSchema, earlierRequestNameSchema]), ...sendOptionFields },
  (actors, { 'ask refunds': of, ...step }) =>
    actors.pos.refunds(findDebitOrPaymentRequest(actors, of), sendOptionsOf(step)),
);

const sendLink = defineVerb(
  'send link',
  'The POS creates a credit: an amount that a customer claims at a link',
  {
    'send link': amountSchema,
    contact: z.string().optional(),
    from: z.string().optional().meta({ description: 'from_bank_account' }),
    statement: z.string().optional(),
    note: z.string().optional(),
    ...sendOptionFields,
  },
  ({ pos }, { 'send link': asked, contact, from, statement, note, ...step }) =>
    pos.credit(
      {
        amount: Number(asked),
        contact_id: contact ?? defaultContactId,
        from_bank_account: from ?? defaultBankAccountId,
        statement: statement ?? 'REFUND 1001',
        note,
      },
      sendOptionsOf(step),
    ),
);

/** The verbs with which the POS uses saved cards and payment links. */
export const savedCardVerbs = [
  chargeVerb('charge', 'The POS charges a saved card'),
  chargeVerb('preauthorize', 'The POS holds an amount on a saved card'),
  capture,
  refunds,
  sendLink,
];
