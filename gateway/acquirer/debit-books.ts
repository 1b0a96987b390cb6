import { prepareQuery } from '../store/prepared.ts';
import type { LedgerKind } from '../store/rows/acquirer.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';

/**
 * A debit with two different amounts: the one that the API reports, and the one that the issuer moved. Amounts are in
 * minor units.
 */
interface DebitDisagreement {
  debitId: string;
  currency: string;
  /** The customer's money that the API reports as held or captured, minus the submitted refunds. */
  reported: number;
  /** The customer's money that the issuer holds or has moved according to the ledger, minus the money given back. */
  moved: number;
  authorizations: number;
  why: string;
}

export interface DebitBooksComparison {
  agree: boolean;
  debits: number;
  refunds: number;
  /** The first hundred debits whose reported amount differs from the amount that the issuer moved. */
  disagreements: DebitDisagreement[];
}

/** A debit with the sums of its ledger entries and refunds, in minor units. */
interface DebitSums {
  id: string;
  currency: string;
  state: string;
  charged: number;
  held: number;
  captured: number;
  refunded: number;
  authorizations: number;
  submitted: number;
}

/**
 * Compares what the API reports about debits of saved cards with the money that the issuer moved. A debit must have at
 * most one authorization. While the debit is preauthorized, the issuer must hold the amount. When the debit is paid,
 * the issuer must have captured the whole amount. In any other state, the authorization must be reversed. A submitted
 * refund must have moved exactly its amount, and any other refund must have moved nothing.
 */
export function compareDebitBooks(store: GatewayStore): Promise<DebitBooksComparison> {
  return store.read(async (db) => {
    const disagreements = (await readDebitSums(db)).flatMap((row) => {
      const why = faultOf(row);
      if (why === undefined) return [];
      const reported =
        (row.state === 'paid' || row.state === 'preauthorized' ? row.charged : 0) - row.submitted;
      const { id: debitId, currency, authorizations } = row;
      return [{ debitId, currency, reported, moved: row.held - row.refunded, authorizations, why }];
    });
    disagreements.push(...(await refundFaults(db)));
    const [counted] = await counts(db, {});
    return {
      agree: disagreements.length === 0,
      debits: Number(counted?.debits),
      refunds: Number(counted?.refunds),
      disagreements: disagreements.slice(0, 100),
    };
  });
}

/** Says how a debit's ledger entries contradict the debit's state and refunds. Returns undefined if they agree. */
function faultOf(row: DebitSums): string | undefined {
  const { state, charged, held, captured, refunded, authorizations, submitted } = row;
  const open = state === 'paid' || state === 'preauthorized';
  if (authorizations > 1) return `${authorizations} authorizations`;
  if (held !== (open ? charged : 0)) return `${state}, but ${held} of ${charged} is authorized`;
  if (captured !== (state === 'paid' ? charged : 0))
    return `${state}, but ${captured} of ${charged} is captured`;
  if (refunded !== submitted) return `${submitted} was submitted as refunds, but ${refunded} was moved`;
  return undefined;
}

const counts = prepareQuery((db) =>
  db.selectNoFrom((s) => [
    s.selectFrom('debits').select(s.fn.countAll().as('n')).as('debits'),
    s.selectFrom('refunds').select(s.fn.countAll().as('n')).as('refunds'),
  ]),
);

async function readDebitSums(db: Tx): Promise<DebitSums[]> {
  const rows = await sumsByDebit(db, {});
  return rows.map(({ amount, surcharge, id, currency, state, ...sums }) => ({
    id,
    currency,
    state,
    charged: Number(amount) + Number(surcharge),
    held: Number(sums.held ?? 0),
    captured: Number(sums.captured ?? 0),
    refunded: Number(sums.refunded ?? 0),
    authorizations: Number(sums.authorizations ?? 0),
    submitted: Number(sums.submitted ?? 0),
  }));
}

const sumsByDebit = prepareQuery((db) =>
  db
    .selectFrom('debits')
    .leftJoin(bookByDebit(db), 'book.payment_id', 'debits.id')
    .leftJoin(
      db
        .selectFrom('refunds')
        .select((select) => ['debit_id', select.fn.sum<number>('amount').as('submitted')])
        .where('status', '=', 'submitted')
        .groupBy('debit_id')
        .as('sent'),
      'sent.debit_id',
      'debits.id',
    )
    .select(['debits.id', 'currency', 'state', 'amount', 'surcharge', 'submitted'])
    .select(['book.held', 'book.captured', 'book.refunded', 'book.authorizations']),
);

function bookByDebit(db: Tx) {
  return db
    .selectFrom('ledger')
    .innerJoin('debits as of', 'of.id', 'ledger.payment_id')
    .select((select) => {
      const sum = (plus: LedgerKind, minus?: LedgerKind) =>
        select.fn.sum<number>(
          select
            .case()
            .when('ledger.kind', '=', plus)
            .then(select.ref('ledger.amount'))
            .when('ledger.kind', '=', minus ?? plus)
            .then(select.neg(select.ref('ledger.amount')))
            .else(0)
            .end(),
        );
      return [
        'ledger.payment_id',
        sum('authorized', 'reversed').as('held'),
        sum('captured').as('captured'),
        sum('refunded', 'returned').as('refunded'),
        select.fn
          .sum<number>(select.case().when('ledger.kind', '=', 'authorized').then(1).else(0).end())
          .as('authorizations'),
      ];
    })
    .groupBy('ledger.payment_id')
    .as('book');
}

/** Finds the refunds whose ledger entries do not agree with their status. */
async function refundFaults(db: Tx): Promise<DebitDisagreement[]> {
  const rows = await sumsByRefund(db, {});
  return rows.flatMap(({ id, debit_id: debitId, currency, amount, status, moved: sum }) => {
    const reported = status === 'submitted' ? -Number(amount) : 0;
    const moved = 0 - Number(sum ?? 0);
    if (reported === moved) return [];
    return [{ debitId, currency, reported, moved, authorizations: 0, why: `refund ${id} is ${status}` }];
  });
}

const sumsByRefund = prepareQuery((db) =>
  db
    .selectFrom('refunds')
    .leftJoin('ledger', 'ledger.refund_id', 'refunds.id')
    .select((select) => [
      'refunds.id',
      'refunds.debit_id',
      'refunds.currency',
      'refunds.amount',
      'refunds.status',
      select.fn
        .sum<number>(
          select
            .case()
            .when('ledger.kind', '=', 'refunded')
            .then(select.ref('ledger.amount'))
            .when('ledger.kind', '=', 'returned')
            .then(select.neg(select.ref('ledger.amount')))
            .else(0)
            .end(),
        )
        .as('moved'),
    ])
    .groupBy(['refunds.id', 'refunds.debit_id', 'refunds.currency', 'refunds.amount', 'refunds.status']),
);
