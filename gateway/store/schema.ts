import type { Kysely } from 'kysely';
import type { DatabaseChange } from '../../shared/database/change.ts';
import type { AccountRow, SharedSecretRow, TokenRow } from './rows/accounts.ts';
import type { LedgerRow, PresetOutcomeRow } from './rows/acquirer.ts';
import type { GatewayRow, LeaseRow, TerminalOwnerRow } from './rows/cluster.ts';
import type { InvalidatedConsoleCredentialRow } from './rows/console.ts';
import type { CreditRow, SecurityQuestionRow, VerifiedCreditVisitorRow } from './rows/credits.ts';
import type { EventRow } from './rows/events.ts';
import type { ExtendedFaultRow, FaultRow } from './rows/faults.ts';
import type {
  AwaitedResultRow,
  GivenBackRow,
  OpenPaymentRow,
  PaymentResultRow,
  PaymentRow,
} from './rows/payments.ts';
import type { RefundLimitRow, RefundRow } from './rows/refunds.ts';
import type { BankAccountRow, ContactRow, DebitRow, SavedCardRow } from './rows/saved-cards.ts';
import type { LastTerminalNumberRow, StoreRow, TerminalRow } from './rows/terminals.ts';
import type {
  DeliveryWakeUpRow,
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookRow,
} from './rows/webhooks.ts';

/** All tables of the gateway. Times are epoch milliseconds, and amounts are in minor units. */
export interface GatewayTables {
  accounts: AccountRow;
  tokens: TokenRow;
  shared_secrets: SharedSecretRow;
  stores: StoreRow;
  terminals: TerminalRow;
  terminal_numbers: LastTerminalNumberRow;
  payments: PaymentRow;
  open_payments: OpenPaymentRow;
  payment_results: PaymentResultRow;
  awaited_results: AwaitedResultRow;
  given_back: GivenBackRow;
  ledger: LedgerRow;
  outcomes: PresetOutcomeRow;
  contacts: ContactRow;
  credit_cards: SavedCardRow;
  bank_accounts: BankAccountRow;
  debits: DebitRow;
  refunds: RefundRow;
  refund_limits: RefundLimitRow;
  events: EventRow;
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_attempts: WebhookAttemptRow;
  delivery_notices: DeliveryWakeUpRow;
  credits: CreditRow;
  credit_visits: VerifiedCreditVisitorRow;
  security_questions: SecurityQuestionRow;
  gateways: GatewayRow;
  terminal_owners: TerminalOwnerRow;
  leases: LeaseRow;
  console_ended: InvalidatedConsoleCredentialRow;
  /** This table exists only in PostgreSQL. */
  faults: FaultRow;
  /** This table exists only in PostgreSQL. */
  aimed_faults: ExtendedFaultRow;
}

/** One change to the gateway's tables, as data. */
export type RowChange = DatabaseChange<GatewayTables>;

/** A connection to the database within a read or a transaction. */
export type Tx = Kysely<GatewayTables>;
