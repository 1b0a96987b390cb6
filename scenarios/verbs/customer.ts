import { z } from 'zod';
import { ScenarioError } from '../environment/scenario-context.ts';
import { request, withoutOptions } from '../format/values.ts';
import { verb } from './verb.ts';

const openLink = verb(
  'open link',
  z.strictObject({ 'open link': z.union([withoutOptions, request]) }).meta({
    description: 'The customer opens the link of a credit in a browser: the latest one, or by name',
  }),
  ({ customer, sent, latest }, { 'open link': of }) => {
    const credit = of === true ? latest('credit') : sent(of);
    const { link } = (credit.answer?.body ?? {}) as { link?: unknown };
    if (typeof link !== 'string') throw new ScenarioError('that request was not answered with a link');
    return customer.open(link);
  },
  { standsAlone: true },
);

const answerQuestion = verb(
  'answer question',
  z
    .strictObject({ 'answer question': z.string() })
    .meta({ description: 'The customer answers the security question' }),
  ({ customer }, { 'answer question': answer }) => customer.answer(answer),
);

const bankDetails = verb(
  'bank details',
  z
    .strictObject({
      'bank details': z.strictObject({
        iban: z.string().optional(),
        routing: z.string().optional().meta({ description: 'US, with account' }),
        transit: z.string().optional().meta({ description: 'Canadian, with institution and account' }),
        institution: z.string().optional(),
        account: z.string().optional(),
      }),
    })
    .meta({ description: 'The customer enters bank details for the money of the link' }),
  ({ customer }, { 'bank details': details }) => customer.bankDetails(details),
);

const accept = verb(
  'accept money',
  z
    .strictObject({ 'accept money': withoutOptions })
    .meta({ description: 'The customer accepts the payment of the link' }),
  ({ customer }) => customer.accept(),
  { standsAlone: true },
);

/** The customer's side of a payment link. */
export const customerVerbs = [openLink, answerQuestion, bankDetails, accept];
