import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { PaymentKind } from '../store/rows/payments.ts';
import type { LedgerSubject } from './entries.ts';

/** The data about the asking terminal that the host needs. */
interface Requester {
  readonly id: string;
  readonly accountId: string;
  readonly environment: LedgerRow['environment'];
}

/** The data about a payment that the host needs. */
export interface HostPayment extends LedgerSubject {
  kind: PaymentKind;
  terminalId: string;
  amount: number;
  /** How the payment ended; null while it is open. */
  concluded: 'success' | 'failure' | null;
}

/**
 * Returns whether a payment was made on this terminal, and not on an earlier one with the same identifier. Account and
 * environment are enough to tell: an earlier terminal of the same account and environment has the same point of sale,
 * which may know how its payments ended (B8).
 */
export function wasMadeOn({ id, accountId, environment }: Requester, payment: HostPayment): boolean {
  return payment.terminalId === id && payment.accountId === accountId && payment.environment === environment;
}
