import { prepareQuery } from '../store/prepared.ts';
import type { Tx } from '../store/schema.ts';

/**
 * A payment whose stored sum of money given back is wrong. The stored sum differs from the sum of the reversals, or is
 * more than the payment took. Amounts are in minor units.
 */
export interface GivenBackDisagreement {
  paymentId: string;
  currency: string;
  taken: number;
  /** The stored sum of the money that was given back. It limits the amount that a further reversal can give back. */
  counted: number;
  /** The sum of the payment's reversals that are open or have succeeded. */
  reversed: number;
}

/** Finds the payments whose stored sum of money given back is wrong. Returns at most 101 payments (B495). */
export async function findGivenBackDisagreements(db: Tx): Promise<GivenBackDisagreement[]> {
  const rows = await differing(db, {});
  return rows.map(({ original_id, currency, total, counted, reversed }) => ({
    paymentId: original_id,
    currency: currency ?? 'EUR',
    taken: Number(total ?? 0),
    counted: Number(counted),
    reversed: Number(reversed),
  }));
}

const differing = prepareQuery((db) =>
  db
    .selectFrom(sums(db).as('sums'))
    .leftJoin('payments as original', 'original.id', 'sums.original_id')
    .leftJoin('payment_results as taken', 'taken.payment_id', 'sums.original_id')
    .select(['sums.original_id', 'counted', 'reversed', 'original.currency', 'taken.total'])
    .where((s) =>
      s.or([
        s('counted', '!=', s.ref('reversed')),
        s('counted', '>', s.fn.coalesce('taken.total', s.lit(0))),
        s('counted', '<', s.lit(0)),
      ]),
    )
    .limit(101),
);

/**
 * Makes a query for two sums of each payment with reversals: the stored sum of the money given back, and the sum of the
 * reversals.
 */
function sums(db: Tx) {
  const counted = db
    .selectFrom('given_back')
    .select((s) => ['original_id', 'amount as counted', s.lit<number>(0).as('reversed')]);
  const reversed = db
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_id', 'id')
    .select((s) => [
      s.ref('payments.original_id').$castTo<string>().as('original_id'),
      s.lit<number>(0).as('counted'),
      'payments.amount as reversed',
    ])
    .where('original_id', 'is not', null)
    .where((s) => s.or([s('result', 'is', null), s('result', '=', 'success')]));
  return db
    .selectFrom(counted.unionAll(reversed).as('either'))
    .select((s) => [
      'original_id',
      s.fn.sum<number>('counted').as('counted'),
      s.fn.sum<number>('reversed').as('reversed'),
    ])
    .groupBy('original_id');
}

/** An entry of the wrong kind: it gives money back in an ordinary payment, or takes money in a reversal or refund. */
interface StrayEntry {
  paymentId: string;
  /** The reported result of the payment. If nothing was reported yet, this is a failure with the amount 0. */
  reported: 'success' | 'failure';
  reportedAmount: number;
  amount: number;
}

/**
 * Finds the entries of the wrong kind. Returns at most 101 entries. The entries of a debit are left out, because the
 * entries of its refunds belong to the debit too (gateway/acquirer/debit-books.ts).
 */
export async function findWrongKindEntries(db: Tx): Promise<StrayEntry[]> {
  const rows = await stray(db, {});
  return rows.map(({ payment_id, result, total, amount }) => ({
    paymentId: payment_id,
    reported: result ?? 'failure',
    reportedAmount: Number(total ?? 0),
    amount: Number(amount),
  }));
}

const stray = prepareQuery((db) =>
  db
    .selectFrom('ledger')
    .leftJoin('payments', 'payments.id', 'ledger.payment_id')
    .leftJoin('payment_results as told', 'told.payment_id', 'ledger.payment_id')
    .select(['ledger.payment_id', 'ledger.amount', 'told.result', 'told.total'])
    .where((s) =>
      s.or([
        s.and([
          s('ledger.kind', 'in', ['refunded', 'returned']),
          s('refund_id', 'is', null),
          s.or([s('payments.kind', 'is', null), s('payments.kind', '=', 'payment')]),
        ]),
        s.and([s('ledger.kind', 'in', ['authorized', 'reversed']), s('payments.kind', '!=', 'payment')]),
      ]),
    )
    .limit(101),
);
