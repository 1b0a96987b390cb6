import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../shared/clock.ts';
import type { JournalReader } from '../../shared/journal.ts';
import { toMajor } from '../../shared/money.ts';
import { toLowerCamel } from '../../shared/nexo/enums.ts';
import { ledgerEntrySchema, makeLedgerEntryView } from '../acquirer/ledger-view.ts';
import { hostOutcomeSchema } from '../acquirer/schemas.ts';
import { ApiError } from '../http/errors.ts';
import { type Pagination, selectPageLatestFirst, whereEqualIfGiven } from '../store/read-rows.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Terminal } from '../terminals/directory.ts';
import { readStoredOutcome } from './core/outcome.ts';
import { type ExplainedRow, readExplainedPayment, selectExplainedPayments } from './explained-rows.ts';
import { transactionResultJson } from './native-api/result-mapping.ts';
import { transactionResultSchema } from './native-api/schemas.ts';
import { type PaymentSummary, paymentSummarySchema } from './payment-summary.ts';
import { findPaymentWarnings } from './payment-warnings.ts';
import type { PaymentEngineMakerParts, PaymentsElsewhere } from './running.ts';

/** Explains how a payment came to its state. */
export const explanationSchema = paymentSummarySchema.extend({
  decidedBy: z.enum(['host', 'terminal', 'gateway']).nullable(),
  rule: z.string().nullable().meta({
    description: 'The outcome rule that chose the answer of the host; null if the host did not decide',
  }),
  why: z.string().nullable().meta({ description: 'The reason in words' }),
  outcomeSet: hostOutcomeSchema
    .nullable()
    .meta({ description: 'The outcome that was set for this payment by a test' }),
  ledger: z.array(ledgerEntrySchema),
  answer: transactionResultSchema.nullable().meta({
    description:
      'The answer of the payments API to the POS; null for a reversal or refund at a terminal, because the payments API has no request for it',
  }),
  warnings: z.array(z.string()),
});
type Explanation = z.infer<typeof explanationSchema>;

interface ExplanationsParts
  extends Pick<PaymentEngineMakerParts, 'store' | 'terminals' | 'acquirer' | 'open'> {
  /** Reads the journal entries of all gateways. */
  journal: JournalReader;
  elsewhere: PaymentsElsewhere;
}

/**
 * Explains payments to a person who runs the gateway. An explanation gives the state, the times, the rule that decided,
 * the reason, the ledger, and warnings.
 */
export class PaymentExplainer {
  readonly #parts: ExplanationsParts;

  constructor(parts: ExplanationsParts) {
    this.#parts = parts;
  }

  /**
   * Gives a page of payments, the latest first. `before` is the identifier of the last payment on the previous page.
   */
  async list({ terminal, ...page }: Pagination & { terminal?: Terminal }): Promise<PaymentSummary[]> {
    const of = {
      'payments.terminal_id': terminal?.id,
      account_id: terminal?.accountId,
      environment: terminal?.environment,
    };
    const rows = await this.#parts.store.read((db) =>
      selectPageLatestFirst(whereEqualIfGiven(selectExplainedPayments(db), of), 'id', page).execute(),
    );
    return this.#summaries(rows);
  }

  /**
   * Gives the present state of a payment, reversal or refund.
   *
   * @throws ApiError notFound
   */
  async summary(paymentId: string): Promise<PaymentSummary> {
    const row = await this.#parts.store.read((db) => readExplainedPayment(db, paymentId));
    const [summary] = await this.#summaries(row ? [row] : []);
    if (!summary) throw paymentNotFound(paymentId);
    return summary;
  }

  /** @throws ApiError notFound */
  async explain(paymentId: string): Promise<Explanation> {
    const [row, entries] = await this.#parts.store.read(
      async (db) =>
        [
          await readExplainedPayment(db, paymentId),
          await this.#parts.acquirer.ledger.entries(db, paymentId),
        ] as const,
    );
    if (!row) throw paymentNotFound(paymentId);
    const ended = readStoredOutcome(row);
    const [summary] = await this.#summaries([row]);
    // The journal entries of other gateways are fetched, so that their warnings are shown too.
    if (this.#parts.elsewhere.possible) await this.#parts.journal.complete();
    return {
      ...(summary as PaymentSummary),
      ...findDecider(row, entries),
      outcomeSet: this.#parts.acquirer.outcomes.plannedFor(paymentId)?.outcome ?? null,
      ledger: entries.map(makeLedgerEntryView),
      answer: ended && row.kind === 'payment' ? JSON.parse(transactionResultJson(ended)) : null,
      warnings: findPaymentWarnings(this.#parts.journal, row, this.#poiIdOf(row)),
    };
  }

  /**
   * Gives the terminal's poi_id. Returns null if the terminal now belongs to another account or environment than the
   * payment. The present terminal is then a different one (B8).
   */
  #poiIdOf({ terminal_id, account_id, environment }: ExplainedRow): string | null {
    const terminal = this.#parts.terminals.byId(terminal_id);
    const same = terminal?.accountId === account_id && terminal.environment === environment;
    return same ? terminal.poiId : null;
  }

  async #summaries(rows: ExplainedRow[]): Promise<PaymentSummary[]> {
    const delivered = rows.filter((row) => !row.result && row.open_delivered_at !== null);
    const { open, elsewhere } = this.#parts;
    const notHere = delivered.map(({ id }) => id).filter((id) => !open.isOnTerminal(id));
    const elsewhereOnTerminal = await elsewhere.onTerminals(notHere);
    return rows.map((row) =>
      this.#summary(row, open.isOnTerminal(row.id) || elsewhereOnTerminal.has(row.id)),
    );
  }

  #summary(row: ExplainedRow, onTerminal: boolean): PaymentSummary {
    return {
      identifier: row.id,
      kind: row.kind,
      original: row.original_id,
      accountId: row.account_id,
      environment: row.environment,
      terminalId: row.terminal_id,
      poiId: this.#poiIdOf(row),
      amount: toMajor(row.amount, row.currency),
      tip:
        row.total === null || row.kind !== 'payment' ? null : toMajor(row.total - row.amount, row.currency),
      total: row.total === null ? null : toMajor(row.total, row.currency),
      givenBack: toMajor(Number(row.given_back ?? 0), row.currency),
      currency: row.currency,
      idempotencyKey: row.idempotency_key,
      saleReferenceId: JSON.parse(row.message).SaleData.SaleReferenceID ?? null,
      state: stateOf(row, onTerminal),
      acceptedAt: isoTime(row.accepted_at),
      deliveredAt: isoTimeOrNull(deliveredAtOf(row)),
      abortRequestedAt: isoTimeOrNull(row.result_abort_requested_at ?? row.open_abort_requested_at),
      deadlineAt: isoTimeOrNull(row.deadline_at),
      concludedAt: isoTimeOrNull(row.concluded_at),
      result: row.result,
      errorCondition: row.error_condition,
      reason: row.why,
    };
  }
}

function stateOf(row: ExplainedRow, onTerminal: boolean): PaymentSummary['state'] {
  if (row.result) return 'concluded';
  if (onTerminal) return 'onTerminal';
  return deliveredAtOf(row) ? 'delivered' : 'accepted';
}

function deliveredAtOf({ result_delivered_at, open_delivered_at }: ExplainedRow): number | null {
  return result_delivered_at ?? open_delivered_at;
}

function paymentNotFound(id: string): ApiError {
  return new ApiError('notFound', { message: `Payment ${id} does not exist` });
}

/**
 * Says which side decided on the payment. The host decided if its last answer agrees with the result and the gateway
 * did not conclude the payment. Otherwise the side that concluded the payment decided.
 */
function findDecider(
  row: ExplainedRow,
  entries: LedgerRow[],
): Pick<Explanation, 'decidedBy' | 'rule' | 'why'> {
  const hostEntry = entries.findLast(
    ({ kind, rule }) =>
      kind === 'authorized' || kind === 'refunded' || (kind === 'declined' && rule !== 'closed'),
  );
  const hostCondition = hostEntry?.error_condition ? toLowerCamel(hostEntry.error_condition) : null;
  const agrees = row.result === null || row.error_condition === hostCondition;
  if (hostEntry && row.decided_by !== 'gateway' && agrees)
    return { decidedBy: 'host', rule: hostEntry.rule, why: hostEntry.why };
  const pin = row.error_condition === 'wrongPin' && row.pin_rule ? `; ${row.pin_rule}` : '';
  return { decidedBy: row.decided_by, rule: null, why: row.why === null ? null : row.why + pin };
}
