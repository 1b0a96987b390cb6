import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { PaymentKind } from '../store/rows/payments.ts';
import type { LedgerSubject } from './entries.ts';

/** The data about the requesting terminal that the host needs. */
interface Requester {
  readonly id: string;
  readonly accountId: string;
  readonly environment: LedgerRow['environment'];
}

/** The data about a payment that the host needs. */
export interface PaymentFactsForHost extends LedgerSubject {
  kind: PaymentKind;
  terminalId: string;
  amount: number;
  /** How the payment ended; null while it is open. */
  concluded: 'success' | 'failure' | null;
}

/**
 * Returns whether a payment was made on this terminal. A terminal that was deleted and made again counts as the same
 * terminal if it has the same account and environment. In that case, both terminals belong to the same point of sale,
 * which may know how the earlier terminal's payments ended (B8). An earlier terminal of another account or environment
 * is a different one.
 */
export function wasMadeOnTerminal(
  { id, accountId, environment }: Requester,
  payment: PaymentFactsForHost,
): boolean {
  return payment.terminalId === id && payment.accountId === accountId && payment.environment === environment;
}
