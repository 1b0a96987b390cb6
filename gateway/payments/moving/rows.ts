import { sql } from 'kysely';
import { anyOf } from '../../../shared/database/postgres-expressions.ts';
import { noAttempts, type PaymentAttempts, withLedgerEntry } from '../../acquirer/attempts.ts';
import type { Ledger } from '../../acquirer/ledger.ts';
import type { Owner } from '../../store/ownership.ts';
import { prepareQuery } from '../../store/prepared.ts';
import type { OpenPaymentRow, PaymentRow } from '../../store/rows/payments.ts';
import type { Tx } from '../../store/schema.ts';
import { readStoredOutcome } from '../core/outcome.ts';
import type { StoredPayment } from '../core/step.ts';

type LiveKey = Pick<PaymentRow, 'account_id' | 'environment'> & { idempotency_key: string };

/** The key of a concluded payment; null if the payment had no key. */
export type ConcludedIdempotencyKey = Pick<PaymentRow, 'account_id' | 'environment' | 'idempotency_key'> & {
  concluded_at: number;
  payment_id: string;
};

const found = (tx: Tx) =>
  tx
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_id', 'id')
    .select([
      'id',
      'kind',
      'terminal_id',
      'accepted_at',
      'request_hash',
      'key_use',
      'concluded_at',
      'answer',
      'outcome',
      'dialect_data',
    ]);

/** A payment. If it is concluded, it has an outcome, which `readStoredOutcome` reads. */
export type PaymentWithOutcomeRow = Awaited<ReturnType<ReturnType<typeof found>['execute']>>[number];

/**
 * Returns whether the payment was never sent to the terminal. The key of such a payment can be used for a new payment.
 */
export function neverReachedTerminal(row: PaymentWithOutcomeRow): boolean {
  const outcome = readStoredOutcome(row);
  return outcome !== undefined && 'unsent' in outcome;
}

export function findPaymentById(
  tx: Tx,
  owner: Owner,
  id: string,
): Promise<PaymentWithOutcomeRow | undefined> {
  return found(tx)
    .where('id', '=', id)
    .where('account_id', '=', owner.accountId)
    .where('environment', '=', owner.environment)
    .executeTakeFirst();
}

const byKey = prepareQuery(
  (db, arg: (name: 'account' | 'environment' | 'key') => never) =>
    found(db)
      .where('account_id', '=', arg('account'))
      .where('idempotency_key', '=', arg('key'))
      .where('environment', '=', arg('environment'))
      .orderBy('key_use', 'desc')
      .limit(sql.lit(1)), // SQLite finds a better plan for a literal number than for a parameter
);

/**
 * Finds the latest payment with a key. There may be several such payments, because a key can be used again after it has
 * expired (B58).
 */
export async function findPaymentByIdempotencyKey(
  tx: Tx,
  owner: Owner,
  key: string,
): Promise<PaymentWithOutcomeRow | undefined> {
  const { accountId: account, environment } = owner;
  return (await byKey(tx, { account, environment, key }))[0];
}

const keyColumns = ['account_id', 'environment', 'idempotency_key'] as const;

/** Reads the keys of open payments. There is at most one such key for each terminal. */
export function readOpenIdempotencyKeys(tx: Tx): Promise<LiveKey[]> {
  return tx
    .selectFrom('open_payments')
    .innerJoin('payments', 'id', 'payment_id')
    .select(keyColumns)
    .where('idempotency_key', 'is not', null)
    .$narrowType<LiveKey>()
    .execute();
}

/**
 * Reads the next page of keys of concluded payments, in the order of their conclusion. `after` is the last payment of
 * the previous page.
 */
export function readConcludedIdempotencyKeys(
  tx: Tx,
  after: { concluded_at: number; payment_id: string },
  limit: number,
): Promise<ConcludedIdempotencyKey[]> {
  return tx
    .selectFrom('payment_results')
    .innerJoin('payments', 'id', 'payment_id')
    .select([...keyColumns, 'concluded_at', 'payment_id'])
    .where((eb) =>
      eb(eb.refTuple('concluded_at', 'payment_id'), '>', eb.tuple(after.concluded_at, after.payment_id)),
    )
    .orderBy('concluded_at')
    .orderBy('payment_id')
    .limit(limit)
    .execute();
}

/**
 * Finds the caller's latest payment on a terminal. Reversals and refunds are left out, and so are payments of another
 * account or environment.
 */
export function findLatestPayment(
  tx: Tx,
  owner: Owner,
  terminalId: string,
): Promise<PaymentWithOutcomeRow | undefined> {
  return found(tx)
    .where('terminal_id', '=', terminalId)
    .where('kind', '=', 'payment')
    .where('account_id', '=', owner.accountId)
    .where('environment', '=', owner.environment)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

const open = (tx: Tx) =>
  tx.selectFrom('open_payments').innerJoin('payments', 'id', 'payment_id').selectAll().orderBy('payment_id');

/** Reads all open payments, the oldest first. */
export function readOpenPaymentRows(tx: Tx): Promise<(PaymentRow & OpenPaymentRow)[]> {
  return open(tx).execute();
}

const openOn = prepareQuery((db, arg: (name: 'terminal') => never) =>
  open(db).where('open_payments.terminal_id', '=', arg('terminal')),
);

/** Reads the open payments of one terminal, the oldest first. */
export function readOpenRowsOnTerminal(tx: Tx, terminal: string): Promise<(PaymentRow & OpenPaymentRow)[]> {
  return openOn(tx, { terminal });
}

export async function hasOpenPayment(tx: Tx, terminal: string): Promise<boolean> {
  return (await openOn(tx, { terminal })).length > 0;
}

/** Reads the open payments of several terminals, the oldest first. */
export function readOpenRowsOnTerminals(
  tx: Tx,
  terminals: readonly string[],
): Promise<(PaymentRow & OpenPaymentRow)[]> {
  return open(tx).where('open_payments.terminal_id', '=', anyOf(terminals)).execute();
}

const storedWith = prepareQuery((db, arg: (name: 'id') => never) =>
  db
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_id', 'id')
    .select(['id', 'kind', 'terminal_id', 'account_id', 'environment', 'amount', 'currency'])
    .select(['result', 'error_condition'])
    .where('id', '=', arg('id')),
);

/** Reads a payment, whether it is open or concluded, with its attempts in the acquirer's ledger. */
export async function findStoredPayment(
  tx: Tx,
  id: string,
  ledger: Ledger,
): Promise<StoredPayment | undefined> {
  const [row] = await storedWith(tx, { id });
  return (
    row && makeStoredPayment(row, row, (await ledger.entries(tx, id)).reduce(withLedgerEntry, noAttempts))
  );
}

type StoredRow = Pick<
  PaymentRow,
  'id' | 'kind' | 'terminal_id' | 'account_id' | 'environment' | 'amount' | 'currency'
>;

/** Makes a stored payment from its row and, if there is one, the row of its result. */
export function makeStoredPayment(
  { id, kind, terminal_id, account_id, environment, amount, currency }: StoredRow,
  result: { result: StoredPayment['concluded']; error_condition: string | null } | undefined,
  attempts: PaymentAttempts,
): StoredPayment {
  return {
    id,
    kind,
    terminalId: terminal_id,
    accountId: account_id,
    environment,
    amount,
    currency,
    concluded: result?.result ?? null,
    errorCondition: result?.error_condition ?? null,
    attempts,
  };
}
