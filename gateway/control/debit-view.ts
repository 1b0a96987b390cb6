import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../shared/clock.ts';
import { toMajor } from '../../shared/money.ts';
import { ledgerEntrySchema, makeLedgerEntryView } from '../acquirer/ledger-view.ts';
import type { DebitWithRefunds } from '../refunds/rows.ts';
import { exampleDebit } from '../saved-cards/schemas.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import { type RefundRow, refundStatuses } from '../store/rows/refunds.ts';
import { type DebitRow, debitStates } from '../store/rows/saved-cards.ts';

const time = z.iso.datetime();

export const debitSummarySchema = z
  .object({
    id: z.uuid(),
    accountId: z.string(),
    environment: z.enum(['sandbox', 'production']),
    flow: z.enum(['charge', 'preauthorize']),
    state: z.enum(debitStates),
    why: z.string().meta({ description: 'An explanation of the state in words' }),
    declineCode: z.string().nullable(),
    amount: z.number(),
    surcharge: z.number().meta({ description: 'The surcharge that the customer pays' }),
    currency: z.string(),
    contactId: z.string(),
    creditCardId: z.string(),
    toBankAccountId: z.string(),
    statement: z.string(),
    note: z.string().nullable(),
    createdAt: time,
    expiresAt: time.nullable().meta({ description: 'The time when an uncaptured authorization is released' }),
    capturedAt: time.nullable(),
    endedAt: time.nullable().meta({ description: 'The time when the debit failed or was voided' }),
  })
  .meta({ id: 'DebitSummary' });

export const controlRefundSchema = z
  .object({
    id: z.uuid(),
    debitId: z.uuid(),
    amount: z.number(),
    currency: z.string(),
    reason: z.string(),
    reasonDetails: z.string().nullable(),
    status: z.enum(refundStatuses),
    why: z.string().meta({ description: 'An explanation of the status in words' }),
    createdAt: time,
    dueAt: time
      .nullable()
      .meta({ description: 'The time when the status changes next by itself, without a request' }),
    submittedAt: time.nullable(),
    failedAt: time.nullable(),
  })
  .meta({ id: 'RefundExplanation' });

/** Everything that is known about a debit. */
export const debitExplanationSchema = debitSummarySchema
  .extend({
    refundable: z.number(),
    blocked: z.number(),
    blockedReason: z.string().nullable(),
    closedToRefunds: z
      .string()
      .nullable()
      .meta({ description: 'The reason why the debit is closed to refunds; null if it is open to refunds' }),
    refunds: z.array(controlRefundSchema),
    ledger: z.array(ledgerEntrySchema),
  })
  .meta({ id: 'DebitExplanation' });

export const exampleDebitSummary = {
  id: exampleDebit.debit_id,
  accountId: 'demo-shop',
  environment: 'sandbox',
  flow: 'charge',
  state: 'paid',
  why: 'no rule declines the card',
  declineCode: null,
  amount: 25.5,
  surcharge: 0,
  currency: 'EUR',
  contactId: 'demo-customer',
  creditCardId: 'demo-visa',
  toBankAccountId: 'demo-bank-account',
  statement: 'ORDER 1001',
  note: null,
  createdAt: '2026-01-01T09:00:00.000Z',
  expiresAt: null,
  capturedAt: '2026-01-01T09:00:00.000Z',
  endedAt: null,
} satisfies z.infer<typeof debitSummarySchema>;

export const exampleControlRefund = {
  id: '019b78ce-9280-7000-8000-5f3759df0004',
  debitId: exampleDebit.debit_id,
  amount: 10,
  currency: 'EUR',
  reason: 'customer_request',
  reasonDetails: null,
  status: 'submitted',
  why: "the refund was sent to the customer's bank",
  createdAt: '2026-01-01T09:05:00.000Z',
  dueAt: null,
  submittedAt: '2026-01-01T09:05:02.000Z',
  failedAt: null,
} satisfies z.infer<typeof controlRefundSchema>;

export const exampleDebitExplanation = {
  ...exampleDebitSummary,
  refundable: 15.5,
  blocked: 0,
  blockedReason: null,
  closedToRefunds: null,
  refunds: [exampleControlRefund],
  ledger: [
    {
      at: '2026-01-01T09:00:00.000Z',
      kind: 'authorized',
      amount: 25.5,
      currency: 'EUR',
      pspReference: 'X7KQ2MZ9RT41LBWD',
      authCode: '123456',
      errorCondition: null,
      refusalReason: null,
      attemptId: null,
      card: null,
      rule: 'default',
      why: 'no rule declines the card',
    },
  ],
} satisfies z.infer<typeof debitExplanationSchema>;

export function makeDebitSummaryView(row: DebitRow): z.infer<typeof debitSummarySchema> {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    flow: row.flow,
    state: row.state,
    why: row.why,
    declineCode: row.decline_code,
    amount: toMajor(row.amount, row.currency),
    surcharge: toMajor(row.surcharge, row.currency),
    currency: row.currency,
    contactId: row.contact_id,
    creditCardId: row.credit_card_id,
    toBankAccountId: row.to_bank_account_id,
    statement: row.statement,
    note: row.note,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTimeOrNull(row.expires_at),
    capturedAt: isoTimeOrNull(row.captured_at),
    endedAt: isoTimeOrNull(row.ended_at),
  };
}

export function makeControlRefundView(row: RefundRow): z.infer<typeof controlRefundSchema> {
  return {
    id: row.id,
    debitId: row.debit_id,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    reason: row.reason,
    reasonDetails: row.reason_details,
    status: row.status,
    why: row.why,
    createdAt: isoTime(row.created_at),
    dueAt: isoTimeOrNull(row.due_at),
    submittedAt: isoTimeOrNull(row.submitted_at),
    failedAt: isoTimeOrNull(row.failed_at),
  };
}

export function makeDebitExplanationView(
  { debit, state, refunds }: DebitWithRefunds,
  entries: readonly LedgerRow[],
): z.infer<typeof debitExplanationSchema> {
  return {
    ...makeDebitSummaryView(debit),
    refundable: toMajor(state.refundable, debit.currency),
    blocked: toMajor(state.blocked, debit.currency),
    blockedReason: state.blockedReason,
    closedToRefunds: state.closedReason,
    refunds: refunds.map(makeControlRefundView),
    ledger: entries.map(makeLedgerEntryView),
  };
}
