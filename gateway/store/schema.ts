import type { Kysely } from 'kysely';
import type {
  BankAccountRow,
  ContactRow,
  CreditCardRow,
  DebitRow,
  RefundLimitRow,
  RefundRow,
} from './debit-rows.ts';

export {
  type BankAccountRow,
  type ContactRow,
  type CreditCardRow,
  type DebitRow,
  type DebitState,
  debitStates,
  type RefundLimitRow,
  type RefundRow,
  type RefundStatus,
  refundStatuses,
} from './debit-rows.ts';

/** Which half of the service something belongs to; nothing crosses between them (decision 47). */
export type Environment = 'sandbox' | 'production';

/** Every row that belongs to somebody says to whom. */
export interface Owned {
  account_id: string;
  environment: Environment;
}

export interface AccountRow {
  id: string;
  name: string;
  currency: string;
  /** Minor units. */
  transaction_limit: number;
  /** 1 or 0. */
  magic_amounts: number;
  merchant_id: string;
  /** 1 or 0: charging and preauthorizing saved cards is enabled. */
  card_on_file: number;
  /** The customer surcharge, parts per million of the amount. */
  surcharge_ppm: number;
  created_at: number;
}

export interface TokenRow extends Owned {
  id: string;
  hash: string;
  label: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface StoreRow extends Owned {
  id: string;
  name: string;
  address: string;
  created_at: number;
}

export interface TerminalRow extends Owned {
  id: string;
  poi_id: string;
  store_id: string;
  payout_account: string | null;
  device_key_hash: string;
  /** 1 or 0; null follows the account. */
  magic_amounts: number | null;
  created_at: number;
}

/** Written once, at acceptance. */
export interface PaymentRow extends Owned {
  id: string;
  terminal_id: string;
  service_id: string;
  /** Requested, minor units. */
  amount: number;
  currency: string;
  idempotency_key: string | null;
  request_hash: string | null;
  accepted_at: number;
  /** The nexo PaymentRequest as it goes, and goes again, to the terminal. */
  message: string;
  /** Paths of the request nobody here knows, as a JSON array. */
  unknown_fields: string | null;
  /** Why the terminal is told that every PIN is wrong. */
  pin_rule: string | null;
}

/** What may change about a payment until it concludes; the row goes then, so the table stays small. */
export interface OpenPaymentRow {
  payment_id: string;
  terminal_id: string;
  delivered_at: number | null;
  deadline_at: number | null;
  abort_requested_at: number | null;
}

/** Written once, at conclusion. */
export interface PaymentResultRow {
  payment_id: string;
  concluded_at: number;
  delivered_at: number | null;
  abort_requested_at: number | null;
  result: 'success' | 'failure';
  error_condition: string | null;
  /** What the cardholder was charged, tip included; null on failure. Minor units. */
  total: number | null;
  /** Who decided: terminal or gateway. */
  decided_by: 'terminal' | 'gateway';
  why: string;
  /** The IPPTransactionResult as the POS gets it. */
  answer: string;
}

/**
 * What an issuer does: gives an authorization, refuses one, takes it back, gives none any more; pays a captured
 * one out; takes a refund for the cardholder and, where his bank rejects it, returns it.
 */
export const ledgerKinds = [
  'authorized',
  'declined',
  'reversed',
  'closed',
  'captured',
  'refunded',
  'returned',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** One line of the acquirer's book; never changed, never removed. */
export interface LedgerRow extends Owned {
  id: string;
  /** A terminal payment or a debit. */
  payment_id: string;
  at: number;
  kind: LedgerKind;
  /** Minor units. */
  amount: number;
  currency: string;
  psp_reference: string;
  auth_code: string | null;
  error_condition: string | null;
  refusal_reason: string | null;
  message: string | null;
  /** The refund that money moved for. */
  refund_id: string | null;
  /** Which rule decided it, and why in words. */
  rule: string;
  why: string;
}

export interface OutcomeRow {
  /** A payment's or a terminal's identifier. */
  subject: string;
  scope: 'payment' | 'terminal';
  /** Once: for the next payment; always: until it is cleared. */
  mode: 'once' | 'always';
  outcome: string;
  set_at: number;
}

/** Written once with the change it reports; only `dispatched_at` is set later. */
export interface EventRow extends Owned {
  id: string;
  /** Counts up in the order of the changes. */
  seq: number;
  type: string;
  /** The debit, refund or credit it tells of. */
  resource_id: string;
  created_at: number;
  /** The payload, as JSON. */
  data: string;
  /** When it was handed on to be delivered. */
  dispatched_at: number | null;
}

/** Every table of the gateway. Times are epoch milliseconds, amounts whole minor units. */
export interface Schema {
  accounts: AccountRow;
  tokens: TokenRow;
  stores: StoreRow;
  terminals: TerminalRow;
  payments: PaymentRow;
  open_payments: OpenPaymentRow;
  payment_results: PaymentResultRow;
  ledger: LedgerRow;
  outcomes: OutcomeRow;
  contacts: ContactRow;
  credit_cards: CreditCardRow;
  bank_accounts: BankAccountRow;
  debits: DebitRow;
  refunds: RefundRow;
  refund_limits: RefundLimitRow;
  events: EventRow;
}

/** A connection inside a read or a transaction. */
export type Tx = Kysely<Schema>;
