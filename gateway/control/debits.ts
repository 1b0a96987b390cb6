import { z } from 'zod';
import { convertToMinorAmount } from '../http/amounts.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import type { DebitWithRefunds } from '../refunds/rows.ts';
import { listDebits } from '../saved-cards/rows.ts';
import { exampleDebit } from '../saved-cards/schemas.ts';
import type { Services } from '../services.ts';
import { debitStates } from '../store/rows/saved-cards.ts';
import {
  debitExplanationSchema,
  debitSummarySchema,
  exampleDebitExplanation,
  exampleDebitSummary,
  makeDebitExplanationView,
  makeDebitSummaryView,
} from './debit-view.ts';
import { makePageQueryFields } from './page-query.ts';

const endpoint = makeEndpointDefiner({ tag: 'Control: saved cards', guard: 'control' });
const debitParams = z.object({ debitId: z.string().meta({ example: exampleDebit.debit_id }) });
const debitQuery = z.object({
  accountId: z.string().optional(),
  contactId: z.string().optional(),
  state: z.enum(debitStates).optional(),
  ...makePageQueryFields('debit'),
});
const reason = z.string().min(1).max(200);
const blockBody = z
  .object({
    amount: z.number().min(0).meta({ description: 'Major units' }),
    reason: reason.default('blocked by a test'),
  })
  .meta({ id: 'BlockedRefunds' });
const closeBody = z.object({ reason: reason.default('closed by a test') }).meta({ id: 'CloseRefunds' });
const explained = {
  200: describeResponse('The debit', debitExplanationSchema, { paid: exampleDebitExplanation }),
};

/** Makes the endpoints that show and explain the debits of all accounts, and let a test change them. */
export function debitControlEndpoints(
  parts: Pick<Services, 'store' | 'acquirer' | 'debits' | 'refunds' | 'refundLimits'>,
): AnyEndpoint[] {
  const { store, acquirer, debits, refunds, refundLimits } = parts;
  const explain = async (known: DebitWithRefunds) => {
    const entries = await store.read((tx) => acquirer.ledger.entries(tx, known.debit.id));
    return makeDebitExplanationView(known, entries);
  };
  return [
    endpoint({
      route: 'GET /control/debits',
      operationId: 'controlListDebits',
      summary: 'List debits, latest first',
      query: debitQuery,
      responses: {
        200: describeResponse('Debits', z.array(debitSummarySchema), { one: [exampleDebitSummary] }),
      },
      gives: async ({ query }) => {
        const rows = await store.read((tx) => listDebits(tx, query));
        return rows.map(makeDebitSummaryView);
      },
    }),
    endpoint({
      route: 'GET /control/debits/{debitId}',
      operationId: 'controlExplainDebit',
      summary: 'Explain a debit',
      description:
        "Returns the states and refunds of the debit, the acquirer's entries, and the reasons in words.",
      params: debitParams,
      responses: explained,
      errors: ['debitNotFound'],
      gives: async ({ params }) => explain(await refunds.ofDebit(params.debitId)),
    }),
    endpoint({
      route: 'POST /control/debits/{debitId}/expire',
      operationId: 'controlExpireDebit',
      summary: 'Expire an authorization now',
      description: 'Voids the debit, as if seven days had passed without a capture.',
      params: debitParams,
      responses: explained,
      errors: ['debitNotFound', 'conflict'],
      gives: async ({ params }) => explain(await refunds.ofDebit((await debits.expire(params.debitId)).id)),
    }),
    endpoint({
      route: 'PUT /control/debits/{debitId}/blocked-refunds',
      operationId: 'controlBlockRefunds',
      summary: 'Block part of a debit from being refunded',
      description:
        'The gateway refuses a refund that exceeds the unblocked amount, and its answer gives the reason for the block. The amount 0 removes the block.',
      params: debitParams,
      body: blockBody,
      bodyExamples: { dispute: { amount: 5, reason: 'disputed by the customer' }, none: { amount: 0 } },
      responses: explained,
      errors: ['invalidAmount', 'debitNotFound', 'conflict'],
      gives: async ({ params, body }) => {
        const { currency } = (await refunds.ofDebit(params.debitId)).debit;
        const amount = body.amount === 0 ? 0 : convertToMinorAmount(body.amount, currency, 'amount');
        return explain(await refundLimits.block(params.debitId, amount, body.reason));
      },
    }),
    endpoint({
      route: 'POST /control/debits/{debitId}/close-refunds',
      operationId: 'controlCloseRefunds',
      summary: 'Close a debit to refunds permanently',
      description:
        'Every later request for a refund is answered with 409 debitNotRefundable. Refunds that already exist continue.',
      params: debitParams,
      body: closeBody,
      bodyOptional: true,
      bodyExamples: { chargeback: { reason: 'charged back' } },
      responses: explained,
      errors: ['debitNotFound'],
      gives: async ({ params, body }) =>
        explain(await refundLimits.close(params.debitId, body?.reason ?? 'closed by a test')),
    }),
  ];
}
