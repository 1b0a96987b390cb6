import { prepared } from '../store/prepared.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx } from '../store/schema.ts';
import type { LedgerSubject } from './ledger.ts';

/** The terminal that asks, as far as the host cares. */
export interface Requester {
  readonly id: string;
  readonly poiId: string;
  readonly accountId: string;
  readonly environment: LedgerRow['environment'];
}

/** A payment as the host needs it. */
export interface KnownPayment extends LedgerSubject {
  terminalId: string;
  amount: number;
  /** Its terminal was deleted then. */
  terminalDeletedAt?: number;
  /** How it ended; null while it is open. */
  concluded: 'success' | 'failure' | null;
}

/** Whether it was made on this terminal, and not on a former one of the same identifier. */
export function isOf({ id, accountId, environment }: Requester, payment: KnownPayment): boolean {
  return payment.terminalId === id && payment.accountId === accountId && payment.environment === environment;
}

const paymentOf = prepared((db, arg: (name: 'id') => never) =>
  db
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_id', 'id')
    .select(['id', 'terminal_id', 'account_id', 'environment', 'amount', 'currency', 'result'])
    .where('id', '=', arg('id')),
);

/** A payment as it is stored. */
export async function storedPayment(tx: Tx, id: string): Promise<KnownPayment | undefined> {
  const [row] = await paymentOf(tx, { id });
  if (!row) return undefined;
  const { terminal_id: terminalId, account_id: accountId, environment, amount, currency, result } = row;
  return { id, terminalId, accountId, environment, amount, currency, concluded: result };
}
