import { toMajor } from '../../shared/money.ts';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { creditBodySchema, creditSchema, exampleCredit } from './schemas.ts';

const exampleBody = {
  amount: 25.5,
  statement: 'REFUND 1001',
  from_bank_account: 'demo-bank-account',
  contact_id: 'demo-customer',
};

/** Makes the endpoint for payment links (B93, B94, B95). */
export function creditEndpoints({ credits, address }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'PUT /credit',
      operationId: 'createCredit',
      tag: 'Payment links',
      guard: 'token',
      summary: 'Create a payment link',
      description:
        'The customer opens the link, answers the security question, enters bank details and accepts. The link works once, within 30 days. There is no idempotency: a repeated request makes another link.',
      journaled: 'withoutBodies', // the link's address is a secret
      body: creditBodySchema,
      bodyExamples: { minimum: exampleBody, withNote: { ...exampleBody, note: 'Deposit returned' } },
      responses: { 200: describeResponse('The credit', creditSchema, { created: exampleCredit }) },
      errors: ['invalidAmount', 'contactNotFound', 'bankAccountNotFound', 'securityQuestionMissing'],
      gives: async ({ caller, body }) => {
        const { credit: made, secret } = await credits.create(caller, body);
        const amount = toMajor(made.amount, made.currency);
        const link = address.forCustomers(`/pay/${secret}`).href;
        return { identifier: made.id, link, amount };
      },
    }),
  ];
}
