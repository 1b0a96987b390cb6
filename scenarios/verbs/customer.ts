import { z } from 'zod';
import { ScenarioError } from '../environment/scenario-context.ts';
import { earlierRequestNameSchema, loneVerbValueSchema } from '../format/values.ts';
import { defineVerb } from './verb.ts';

const openLink = defineVerb(
  'open link',
  'The customer opens the link of the latest credit, or of a named credit, in a browser',
  { 'open link': z.union([loneVerbValueSchema, earlierRequestNameSchema]) },
  ({ customer, sent, latest }, { 'open link': of }) => {
    const credit = of === true ? latest('credit') : sent(of);
    const { link } = (credit.answer?.body ?? {}) as { link?: unknown };
    if (typeof link !== 'string') throw new ScenarioError('that request was not answered with a link');
    return customer.open(link);
  },
);

const answerQuestion = defineVerb(
  'answer question',
  'The customer answers the security question',
  { 'answer question': z.string() },
  ({ customer }, { 'answer question': answer }) => customer.answer(answer),
);

const bankDetails = defineVerb(
  'bank details',
  'The customer enters the details of the bank account to which the money goes',
  {
    'bank details': z.strictObject({
      iban: z.string().optional(),
      routing: z.string().optional().meta({ description: 'A US routing number; `account` is needed, too' }),
      transit: z
        .string()
        .optional()
        .meta({ description: 'A Canadian transit number; `institution` and `account` are needed, too' }),
      institution: z.string().optional(),
      account: z.string().optional(),
    }),
  },
  ({ customer }, { 'bank details': details }) => customer.bankDetails(details),
);

const accept = defineVerb(
  'accept money',
  'The customer accepts the payment of the link',
  { 'accept money': loneVerbValueSchema },
  ({ customer }) => customer.accept(),
);

/** The verbs for the customer at a payment link. */
export const customerVerbs = [openLink, answerQuestion, bankDetails, accept];
