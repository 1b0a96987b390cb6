import { prepareQuery } from '../store/prepared.ts';
import type { GatewayStore } from '../store/store.ts';
import {
  findGivenBackDisagreements,
  findWrongKindEntries,
  type GivenBackDisagreement,
} from './given-back-books.ts';

/**
 * A payment, reversal or refund with two different amounts: the one that was reported to the POS, and the one that the
 * issuer moved.
 */
interface Disagreement {
  paymentId: string;
  reported: 'success' | 'failure';
  /** The amount in minor units that was reported to the POS as collected or given back. */
  reportedAmount: number;
  /**
   * The amount in minor units that the issuer moved. In a payment, this is the amount that was authorized and not
   * reversed. In a reversal or refund, this is the amount that was given back to the cardholder and not taken back
   * afterwards.
   */
  movedAmount: number;
  /** The number of authorizations in force. */
  authorizations: number;
}

export interface BooksComparison {
  agree: boolean;
  concluded: number;
  /**
   * The number of payments that are not concluded. In such a payment, the reported amount may differ from the amount
   * that the issuer moved.
   */
  open: number;
  /** The first hundred payments whose reported amount differs from the amount that the issuer moved. */
  disagreements: Disagreement[];
  /** The first hundred payments whose stored sum of money given back is wrong. */
  givenBack: GivenBackDisagreement[];
}

/**
 * Compares what was reported to the POS with the money that the issuer moved (B133–B136). A payment that was reported
 * as success must have exactly one authorization in force. This authorization must be for the amount that the
 * cardholder pays. Any other concluded payment must have no authorization in force. The amounts of reversals and
 * refunds are compared in the same way. The stored sum of money given back for a payment must equal the sum of the
 * payment's reversals (B495).
 */
export function compareBooks(store: Pick<GatewayStore, 'read'>): Promise<BooksComparison> {
  return store.read(async (db) => {
    const rows = await disagreeing(db, {});
    const wrong: Disagreement[] = rows.map(({ id, result, total, moved, authorizations }) => ({
      paymentId: id,
      reported: result,
      reportedAmount: Number(total ?? 0),
      movedAmount: Number(moved ?? 0),
      authorizations: Number(authorizations ?? 0),
    }));
    const listed = new Set(wrong.map(({ paymentId }) => paymentId));
    for (const { amount, ...stray } of await findWrongKindEntries(db))
      if (!listed.has(stray.paymentId)) wrong.push({ ...stray, movedAmount: amount, authorizations: 1 });
    const givenBack = await findGivenBackDisagreements(db);
    const [counted] = await counts(db, {});
    return {
      agree: wrong.length === 0 && givenBack.length === 0,
      concluded: Number(counted?.concluded),
      open: Number(counted?.open),
      disagreements: wrong.slice(0, 100),
      givenBack: givenBack.slice(0, 100),
    };
  });
}

/** Reads the concluded payments whose ledger entries do not agree with what was reported. */
const disagreeing = prepareQuery((db) =>
  db
    .selectFrom('payment_results')
    .leftJoin(
      (from) =>
        from
          .selectFrom('ledger')
          .select((s) => [
            'payment_id as ledger_payment',
            s.fn
              .sum<number>(
                s
                  .case()
                  .when('kind', 'in', ['authorized', 'refunded'])
                  .then(s.ref('amount'))
                  .when('kind', 'in', ['reversed', 'returned'])
                  .then(s.neg(s.ref('amount')))
                  .else(0)
                  .end(),
              )
              .as('moved'),
            s.fn
              .sum<number>(
                s
                  .case()
                  .when('kind', 'in', ['authorized', 'refunded'])
                  .then(1)
                  .when('kind', 'in', ['reversed', 'returned'])
                  .then(-1)
                  .else(0)
                  .end(),
              )
              .as('authorizations'),
          ])
          .groupBy('payment_id')
          .as('book'),
      (join) => join.onRef('ledger_payment', '=', 'payment_id'),
    )
    .select(['payment_id as id', 'result', 'total', 'moved', 'authorizations'])
    .where((s) =>
      s.or([
        s(s.fn.coalesce('total', s.lit(0)), '!=', s.fn.coalesce('moved', s.lit(0))),
        s('authorizations', '>', 1),
        s.and([s('result', '=', 'success'), s(s.fn.coalesce('moved', s.lit(0)), '=', 0)]),
      ]),
    )
    .limit(101),
);

const counts = prepareQuery((db) =>
  db.selectNoFrom((s) => [
    s.selectFrom('payment_results').select(s.fn.countAll().as('n')).as('concluded'),
    s.selectFrom('open_payments').select(s.fn.countAll().as('n')).as('open'),
  ]),
);
