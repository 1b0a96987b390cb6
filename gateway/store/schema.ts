import type { Kysely } from 'kysely';
import type { UnitOfWork } from '../../shared/database/unit-of-work.ts';
import type {
  BankAccountRow,
  ContactRow,
  CreditCardRow,
  DebitRow,
  RefundLimitRow,
  RefundRow,
} from './debit-rows.ts';
import type { Owned } from './ownership.ts';

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

export type { Environment, Owned } from './ownership.ts';

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
  /** Paths of unknown fields of the request, as a JSON array. */
  unknown_fields: string | null;
  /** Why every PIN is wrong at the terminal. */
  pin_rule: string | null;
}

/** What may change about a payment until it concludes; the row goes then, so the table stays small. */
export interface OpenPaymentRow {
  payment_id: string;
  terminal_id: string;
  delivered_at: number | null;
  deadline_at: number | null;
  abort_requested_at: number | null;
  /** When its terminal was deleted (B8). */
  terminal_deleted_at: number | null;
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
  /** A terminal's try to have its payment authorized; null of all others, and of version 0.1.0 (B134). */
  attempt_id: string | null;
  /** What was charged or refused: the masked number, and the application by brand and AID. Null as above. */
  card: string | null;
  application: string | null;
  /** The refund that money moved for. */
  refund_id: string | null;
  /** Which rule decided it, and why in words. */
  rule: string;
  why: string;
}

interface OutcomeRow {
  /** A payment's or a terminal's identifier. */
  subject: string;
  scope: 'payment' | 'terminal';
  /** Once: for the first payment on which it acts; always: until it is cleared. */
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
  /** The debit, refund or credit it is about. */
  resource_id: string;
  created_at: number;
  /** The payload, as JSON. */
  data: string;
  /** When it was handed on to be delivered. */
  dispatched_at: number | null;
}

/** Where an account's events go. */
export interface WebhookRow extends Owned {
  id: string;
  url: string;
  description: string;
  /** A JSON array of event types; null for all. */
  types: string | null;
  /** In the clear: signing needs it. */
  secret: string;
  /** The secret before the last rotation, which signs as well until `former_until`. */
  former_secret: string | null;
  former_until: number | null;
  /** Set where nothing is sent there. */
  disabled_at: number | null;
  disabled_why: string | null;
  created_at: number;
}

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** One event on its way to one webhook. */
export interface WebhookDeliveryRow extends Owned {
  id: string;
  webhook_id: string;
  event_id: string;
  /** The event's, so that those of one resource go out in order. */
  event_seq: number;
  resource_id: string;
  state: DeliveryState;
  why: string;
  /** Tries made by the schedule, those by hand not counted. */
  tries: number;
  /** When it is tried next; null where it has ended. */
  due_at: number | null;
  created_at: number;
  ended_at: number | null;
}

/** One try of a delivery, and what came of it; never changed. */
export interface WebhookAttemptRow {
  id: string;
  delivery_id: string;
  at: number;
  duration_ms: number;
  by: 'schedule' | 'hand';
  status: number | null;
  error: string | null;
  /** The beginning of the receiver's answer. */
  answer: string | null;
}

export const creditStates = ['initiated', 'completed', 'expired', 'failed'] as const;
export type CreditState = (typeof creditStates)[number];

/** A payment link: money of the merchant on its way to a customer. */
export interface CreditRow extends Owned {
  id: string;
  contact_id: string;
  from_bank_account_id: string;
  amount: number;
  currency: string;
  statement: string;
  note: string | null;
  state: CreditState;
  /** Why it is in its state, in words. */
  why: string;
  /** Of the secret in the link. */
  token_hash: string;
  /** Since the last lock or right answer. */
  wrong_answers: number;
  locked_until: number | null;
  /** What the bank will say, where a test set it: why it refuses. */
  refusal: string | null;
  /** Where the money went: the kind of bank details, and their end. */
  bank_kind: string | null;
  bank_masked: string | null;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
}

/** A customer's browser that gave the right answer for a payment link. */
export interface CreditVisitRow {
  /** Hash of the secret in its cookie. */
  id: string;
  credit_id: string;
  /** What it entered, the number's end only. */
  bank_kind: string | null;
  bank_masked: string | null;
  /** 1 where the number is that of a bank that refuses. */
  bank_refuses: number;
  answered_at: number;
}

/** What customers of an account are asked at its payment links (B99). */
interface SecurityQuestionRow {
  account_id: string;
  question: string;
  /** scrypt, with its salt and cost. */
  answer_hash: string;
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
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_attempts: WebhookAttemptRow;
  credits: CreditRow;
  credit_visits: CreditVisitRow;
  security_questions: SecurityQuestionRow;
}

/** A connection inside a read or a transaction. */
export type Tx = Kysely<Schema>;

/** A transaction under way, which collects how to undo changes in memory. */
export type Unit = UnitOfWork<Schema>;
