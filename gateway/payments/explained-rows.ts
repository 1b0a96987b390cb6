import type { Tx } from '../store/schema.ts';

/** A payment, reversal or refund with its progress, its result and the amount given back. */
export type ExplainedRow = Awaited<ReturnType<ReturnType<typeof selectExplainedPayments>['execute']>>[number];

export function selectExplainedPayments(db: Tx) {
  return db
    .selectFrom('payments')
    .leftJoin('open_payments', 'open_payments.payment_id', 'id')
    .leftJoin('payment_results', 'payment_results.payment_id', 'id')
    .leftJoin('given_back', 'given_back.original_id', 'id')
    .selectAll('payments')
    .select([
      'open_payments.delivered_at as open_delivered_at',
      'open_payments.abort_requested_at as open_abort_requested_at',
      'open_payments.deadline_at',
      'payment_results.delivered_at as result_delivered_at',
      'payment_results.abort_requested_at as result_abort_requested_at',
      'payment_results.concluded_at',
      'payment_results.result',
      'payment_results.error_condition',
      'payment_results.total',
      'payment_results.decided_by',
      'payment_results.why',
      'payment_results.answer',
      'payment_results.outcome',
      'given_back.amount as given_back',
    ]);
}

export function readExplainedPayment(db: Tx, id: string) {
  return selectExplainedPayments(db).where('id', '=', id).executeTakeFirst();
}
