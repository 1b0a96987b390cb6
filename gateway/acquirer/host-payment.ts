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
 * Returns whether a payment was made on this terminal, and not on an earlier terminal with the same identifier. An
 * earlier terminal with the same account and environment counts as this terminal. Both terminals then belong to the
 * same point of sale, which may know how the earlier terminal's payments ended (B8).
 */
export function wasMadeOnTerminal({ id, accountId, environment }: Requester, payment: HostPayment): boolean {
  return payment.terminalId === id && payment.accountId === accountId && payment.environment === environment;
}
