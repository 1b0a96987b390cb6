import { toMajor } from '../../shared/money.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { debitParamsSchema } from '../saved-cards/schemas.ts';
import type { Services } from '../services.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitWithRefunds } from './rows.ts';
import {
  exampleRefund,
  exampleRefundSummary,
  type Refund,
  type RefundSummary,
  refundBodySchema,
  refundSchema,
  refundSummarySchema,
} from './schemas.ts';

const endpoint = makeEndpointDefiner({ tag: 'Refunds', guard: 'token' });

/** Makes the endpoints of refunds (B81–B86). */
export function refundEndpoints({ refunds }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /debit/{debit_id}/refunds',
      operationId: 'listRefunds',
      summary: 'Get the refunds of a debit and its refundable amount',
      description:
        'Call this before you create a refund. After a 5xx or a timeout, call this before you try again.',
      params: debitParamsSchema,
      responses: {
        200: describeResponse('The summary', refundSummarySchema, { partly: exampleRefundSummary }),
      },
      errors: ['debitNotFound', 'debitNotPaidByCreditCard'],
      gives: async ({ caller, params }) => summaryView(await refunds.summary(caller, params.debit_id)),
    }),
    endpoint({
      route: 'POST /debit/{debit_id}/refunds',
      operationId: 'createRefund',
      summary: 'Refund part or all of a debit',
      description: 'There is no idempotency: repeating a request creates a second refund.',
      params: debitParamsSchema,
      body: refundBodySchema,
      bodyExamples: {
        part: { amount: 10, reason: 'customer_request', reason_details: 'One of two items came back' },
      },
      responses: {
        201: describeResponse('The refund was created; its status may already be `failed`', refundSchema, {
          processing: exampleRefund,
          failedAtOnce: { ...exampleRefund, status: 'failed' },
        }),
      },
      errors: [
        'invalidAmount',
        'debitNotFound',
        'debitNotRefundable',
        'refundExceedsRefundableAmount',
        'debitNotPaidByCreditCard',
      ],
      gives: async ({ caller, params, body }) =>
        refundView(await refunds.create(caller, params.debit_id, body)),
    }),
  ];
}

function refundView(row: RefundRow): Refund {
  return {
    id: row.id,
    amount: toMajor(row.amount, row.currency),
    reason: row.reason as Refund['reason'],
    ...(row.reason_details === null ? {} : { reason_details: row.reason_details }),
    status: row.status,
  };
}

function summaryView({ debit, state, refunds }: DebitWithRefunds): RefundSummary {
  const major = (minor: number) => toMajor(minor, debit.currency);
  return {
    transaction_id: debit.id,
    captured_amount: major(state.captured),
    submitted_refund_amount: major(state.submitted),
    processing_refund_amount: major(state.processing),
    refundable_amount: major(state.refundable),
    blocked_refund_amount: major(state.blocked),
    blocked_refund_reason: state.blockedReason,
    refunds: refunds.map(refundView),
  };
}
