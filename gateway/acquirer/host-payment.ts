import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { PaymentKind } from '../store/rows/payments.ts';
import type { LedgerSubject } from './entries.ts';

/** The data that the host needs about the terminal that sent the request. */
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
 * Returns whether a payment was made on this terminal, and not on an earlier terminal with the same identifier. If the
 * earlier terminal had the same account and environment, it counts as this one: both have the same point of sale, which
 * may know how its payments ended (B8).
 */
export function wasMadeOnTerminal({ id, accountId, environment }: Requester, payment: HostPayment): boolean {
  return payment.terminalId === id && payment.accountId === accountId && payment.environment === environment;
}
