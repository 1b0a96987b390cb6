import { toMajor } from '../../shared/money.ts';
import { type AnyEndpoint, type Caller, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { Services } from '../services.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import {
  captureResponseSchema,
  cardParamsSchema,
  chargeBodySchema,
  type Debit,
  debitParamsSchema,
  debitSchema,
  exampleDebit,
  preauthorizeBodySchema,
} from './schemas.ts';
import type { DebitOrder } from './service.ts';

const endpoint = makeEndpointDefiner({ tag: 'Saved cards', guard: 'token' });
const errors: readonly ErrorCode[] = [
  'invalidAmount',
  'cardDeclined',
  'cardOnFileNotEnabled',
  'contactNotFound',
  'creditCardNotFound',
  'bankAccountNotFound',
];
const exampleBody = { amount: 25.5, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1001' };

/** Makes the endpoints of saved cards (B70–B73). */
export function debitEndpoints({ debits }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /contact/{contact_id}/creditCards/{credit_card_id}/charge',
      operationId: 'chargeCreditCard',
      summary: 'Charge a saved card',
      description:
        'Authorizes and captures in one request. There is no idempotency: repeating a request charges again.',
      params: cardParamsSchema,
      body: chargeBodySchema,
      bodyExamples: { minimum: exampleBody, withNote: { ...exampleBody, note: 'Monthly fee' } },
      responses: { 200: describeResponse('Charged', debitSchema, { paid: exampleDebit }) },
      errors,
      gives: async ({ caller, params, body }) =>
        debitView(await debits.charge(orderOf(caller, params, body))),
    }),
    endpoint({
      route: 'POST /contact/{contact_id}/creditCards/{credit_card_id}/preauthorize',
      operationId: 'preauthorizeCreditCard',
      summary: 'Authorize an amount on a saved card without capturing it',
      description: 'The amount is held for seven days, then the debit is voided unless it was captured.',
      params: cardParamsSchema,
      body: preauthorizeBodySchema,
      bodyExamples: { minimum: exampleBody },
      responses: {
        200: describeResponse('Authorized', debitSchema, {
          preauthorized: { ...exampleDebit, transaction_state: 'preauthorized' },
        }),
      },
      errors,
      gives: async ({ caller, params, body }) =>
        debitView(await debits.preauthorize(orderOf(caller, params, body))),
    }),
    endpoint({
      route: 'POST /debit/{debit_id}/capture',
      operationId: 'captureDebit',
      summary: 'Capture a preauthorized debit',
      description: 'Captures the full amount, once. Partial capture is not supported.',
      params: debitParamsSchema,
      responses: {
        200: describeResponse('Captured', captureResponseSchema, {
          paid: { identifier: exampleDebit.debit_id, state: 'paid' },
        }),
      },
      errors: ['cardDeclined', 'cardOnFileNotEnabled', 'debitNotFound', 'debitNotCapturable'],
      gives: async ({ caller, params }) => {
        const { id, state } = await debits.capture(caller, params.debit_id);
        return { identifier: id, state };
      },
    }),
  ];
}

function orderOf(
  caller: Caller,
  params: { contact_id: string; credit_card_id: string },
  body: { amount: number; to_bank_account_id: string; statement: string; note?: string },
): DebitOrder {
  const { amount, to_bank_account_id: toBankAccountId, statement, note } = body;
  const { contact_id: contactId, credit_card_id: creditCardId } = params;
  return { caller, contactId, creditCardId, amount, toBankAccountId, statement, note };
}

function debitView(row: DebitRow): Debit {
  return {
    debit_id: row.id,
    amount: toMajor(row.amount, row.currency),
    statement: row.statement,
    ...(row.note === null ? {} : { note: row.note }),
    to_bank_account_id: row.to_bank_account_id,
    contact_id: row.contact_id,
    from_credit_card_id: row.credit_card_id,
    transaction_state: row.state,
  };
}
