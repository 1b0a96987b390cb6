import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../shared/clock.ts';
import { toMajor } from '../../shared/money.ts';
import { parseBankDetails } from '../credits/bank-details.ts';
import {
  type BankAccountKind,
  bankAccountKinds,
  type ControlCredit,
  controlCreditSchema,
  exampleCredit,
  securityQuestionInputSchema,
} from '../credits/schemas.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import { type CreditRow, creditStates } from '../store/rows/credits.ts';
import { makePageQueryFields } from './page-query.ts';

const example: ControlCredit = {
  id: exampleCredit.identifier,
  accountId: 'demo-shop',
  environment: 'sandbox',
  contactId: 'demo-customer',
  fromBankAccountId: 'demo-bank-account',
  amount: 25.5,
  currency: 'EUR',
  statement: 'REFUND 1001',
  note: null,
  state: 'initiated',
  why: 'the link waits for the customer',
  refusal: null,
  lockedUntil: null,
  paidTo: null,
  createdAt: '2026-01-01T09:00:00.000Z',
  expiresAt: '2026-01-31T09:00:00.000Z',
  endedAt: null,
};
const endpoint = makeEndpointDefiner({ tag: 'Control: payment links', guard: 'control' });
const creditParams = z.object({ creditId: z.string().meta({ example: example.id }) });
const creditQuery = z.object({
  accountId: z.string().optional(),
  contactId: z.string().optional(),
  state: z.enum(creditStates).optional(),
  ...makePageQueryFields('credit'),
});
const credit200 = (changes: Partial<ControlCredit> = {}) => ({
  200: describeResponse('The credit', controlCreditSchema, { credit: { ...example, ...changes } }),
});
const endedAt = '2026-01-02T09:00:00.000Z';

const acceptBody = z
  .object({
    kind: z.enum(bankAccountKinds),
    iban: z.string().max(60).optional(),
    routing: z.string().max(30).optional(),
    transit: z.string().max(30).optional(),
    institution: z.string().max(30).optional(),
    account: z.string().max(60).optional(),
  })
  .meta({ id: 'CustomerBankDetails' });
const refusalBody = z
  .object({ reason: z.string().min(1).max(200).default('refused by a test') })
  .meta({ id: 'RefuseCredit' });

/** Makes the endpoints that show payment links, and let a test change them (B96–B101). */
export function creditControlEndpoints(services: Services): AnyEndpoint[] {
  return [...readingEndpoints(services), ...changingEndpoints(services)];
}

function readingEndpoints({ credits }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/credits',
      operationId: 'controlListCredits',
      summary: 'List payment links, latest first',
      query: creditQuery,
      responses: { 200: describeResponse('Credits', z.array(controlCreditSchema), { one: [example] }) },
      gives: async ({ query }) => (await credits.list(query)).map(creditView),
    }),
    endpoint({
      route: 'GET /control/credits/{creditId}',
      operationId: 'controlGetCredit',
      summary: 'Get a payment link',
      params: creditParams,
      responses: credit200(),
      errors: ['notFound'],
      gives: async ({ params }) => creditView(await credits.get(params.creditId)),
    }),
  ];
}

function changingEndpoints({ credits, questions }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'PUT /control/accounts/{accountId}/security-question',
      operationId: 'controlSetSecurityQuestion',
      summary: 'Set the security question that payment links ask',
      params: z.object({ accountId: z.string() }),
      body: securityQuestionInputSchema,
      bodyExamples: { colour: { question: 'What colour is our shop?', answer: 'blue' } },
      journaled: 'withoutBodies',
      responses: { 204: { description: 'Set' } },
      errors: ['notFound'],
      gives: ({ params, body }) => questions.set(params.accountId, body),
    }),
    endpoint({
      route: 'POST /control/credits/{creditId}/accept',
      operationId: 'controlAcceptCredit',
      summary: 'Accept the payment as the customer',
      description:
        "Does the same as the last step of the customer's page, and checks the bank details as that step does. Use this call in tests without a browser.",
      params: creditParams,
      body: acceptBody,
      bodyExamples: { iban: { kind: 'iban', iban: 'DE89 3704 0044 0532 0130 00' } },
      journaled: 'withoutBodies',
      responses: credit200({
        state: 'completed',
        why: 'the customer accepted the payment',
        paidTo: { kind: 'iban', maskedNumber: '**** 3000' },
        endedAt,
      }),
      errors: ['notFound', 'conflict'],
      gives: async ({ params, body }) => {
        const read = parseBankDetails(body);
        if (Array.isArray(read)) {
          const details = read.map((path) => ({ path, message: 'is not valid' }));
          throw new ApiError('invalidRequest', { details });
        }
        return creditView(await credits.accept(params.creditId, read));
      },
    }),
    endpoint({
      route: 'POST /control/credits/{creditId}/refuse',
      operationId: 'controlRefuseCredit',
      summary: 'Make the bank refuse the payment when the customer accepts it',
      params: creditParams,
      body: refusalBody,
      bodyOptional: true,
      bodyExamples: { closed: { reason: 'the account is closed' } },
      responses: credit200({ refusal: 'the account is closed' }),
      errors: ['notFound', 'conflict'],
      gives: async ({ params, body }) =>
        creditView(await credits.refuseLater(params.creditId, body?.reason ?? 'refused by a test')),
    }),
    endpoint({
      route: 'POST /control/credits/{creditId}/expire',
      operationId: 'controlExpireCredit',
      summary: 'Expire a payment link now',
      params: creditParams,
      responses: credit200({ state: 'expired', why: 'expired by a test', endedAt }),
      errors: ['notFound', 'conflict'],
      gives: async ({ params }) => creditView(await credits.expire(params.creditId)),
    }),
  ];
}

function creditView(row: CreditRow): ControlCredit {
  const paid = row.bank_kind !== null && row.bank_masked !== null;
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    contactId: row.contact_id,
    fromBankAccountId: row.from_bank_account_id,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    statement: row.statement,
    note: row.note,
    state: row.state,
    why: row.why,
    refusal: row.refusal,
    lockedUntil: isoTimeOrNull(row.locked_until),
    paidTo: paid ? { kind: row.bank_kind as BankAccountKind, maskedNumber: row.bank_masked ?? '' } : null,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
    endedAt: isoTimeOrNull(row.ended_at),
  };
}
