import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../shared/clock.ts';
import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { toMajor } from '../../shared/money.ts';
import { toLowerCamel } from '../../shared/nexo/enums.ts';
import { ledgerEntrySchema, makeLedgerEntryView } from '../acquirer/ledger-view.ts';
import { hostOutcomeSchema } from '../acquirer/schemas.ts';
import { ApiError } from '../http/errors.ts';
import { type Pagination, selectPageLatestFirst, whereEqual } from '../store/read-rows.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx } from '../store/schema.ts';
import type { Terminal } from '../terminals/directory.ts';
import { readStoredOutcome } from './core/outcome.ts';
import { resultJson } from './native-api/result-mapping.ts';
import { transactionResultSchema } from './native-api/schemas.ts';
import { type PaymentSummary, paymentSummarySchema } from './payment-summary.ts';
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
      selectPageLatestFirst(whereEqual(payments(db), of), 'id', page).execute(),
    );
    return this.#summaries(rows);
  }

  /**
   * Gives the present state of a payment, reversal or refund.
   *
   * @throws ApiError notFound
   */
  async summary(paymentId: string): Promise<PaymentSummary> {
    const row = await this.#parts.store.read((db) => byId(db, paymentId));
    const [summary] = await this.#summaries(row ? [row] : []);
    if (!summary) throw unknown(paymentId);
    return summary;
  }

  /** @throws ApiError notFound */
  async explain(paymentId: string): Promise<Explanation> {
    const [row, entries] = await this.#parts.store.read(
      async (db) =>
        [await byId(db, paymentId), await this.#parts.acquirer.ledger.entries(db, paymentId)] as const,
    );
    if (!row) throw unknown(paymentId);
    const ended = readStoredOutcome(row);
    const [summary] = await this.#summaries([row]);
    // The journal entries of other gateways are fetched, so that their warnings are shown too.
    if (this.#parts.elsewhere.possible) await this.#parts.journal.complete();
    return {
      ...(summary as PaymentSummary),
      ...deciding(row, entries),
      outcomeSet: this.#parts.acquirer.outcomes.plannedFor(paymentId)?.outcome ?? null,
      ledger: entries.map(makeLedgerEntryView),
      answer: ended && row.kind === 'payment' ? JSON.parse(resultJson(ended)) : null,
      warnings: this.#warnings(row),
    };
  }

  /**
   * Gives the terminal's poi_id. Returns null if the terminal now belongs to another account or environment than the
   * payment. The present terminal is then a different one (B8).
   */
  #poiIdOf({ terminal_id, account_id, environment }: Row): string | null {
    const terminal = this.#parts.terminals.byId(terminal_id);
    const same = terminal?.accountId === account_id && terminal.environment === environment;
    return same ? terminal.poiId : null;
  }

  #warnings(row: Row): string[] {
    const unknown: string[] = row.unknown_fields === null ? [] : JSON.parse(row.unknown_fields);
    const late = this.#parts.journal
      .since()
      .filter(
        ({ payment, kind }) => payment === row.id && (kind === 'payment.lateResult' || kind === 'warning'),
      )
      .map(({ data }) => ('why' in data ? data.why : 'message' in data ? data.message : ''));
    return [
      ...unknown.map((path) => `the unknown field ${maskCardNumbers(path)} was ignored`),
      ...this.#powerCuts(row),
      ...late,
    ];
  }

  /** Returns a text for each power cut of the terminal during the payment. Only the journal's entries are searched. */
  #powerCuts(row: Row): string[] {
    const poiId = this.#poiIdOf(row);
    const until = row.concluded_at ?? Number.POSITIVE_INFINITY;
    return this.#whileOpen(row).flatMap(({ kind, terminal, at, data }) => {
      const concerned = kind === 'terminal.power' && terminal === poiId && !data.on;
      if (!concerned || at < row.accepted_at || at > until) return [];
      return [
        data.at === undefined ? 'the terminal lost its power' : `the terminal lost its power at ${data.at}`,
      ];
    });
  }

  /**
   * Gives the journal entries from the payment's beginning to its end. The entries are chosen by their order in the
   * journal and not by their times, because virtual time may have stood still.
   */
  #whileOpen({ id }: Row): readonly JournalEntry[] {
    const entries = this.#parts.journal.since();
    const began = entries.findIndex(({ payment, kind }) => payment === id && kind === 'payment.accepted');
    const ended = entries.findIndex(({ payment, kind }) => payment === id && kind === 'payment.concluded');
    return entries.slice(Math.max(began, 0), ended < 0 ? undefined : ended);
  }

  async #summaries(rows: Row[]): Promise<PaymentSummary[]> {
    const delivered = rows.filter((row) => !row.result && row.open_delivered_at !== null);
    const { open, elsewhere } = this.#parts;
    const unknown = delivered.map(({ id }) => id).filter((id) => !open.isOnTerminal(id));
    const there = await elsewhere.onTerminals(unknown);
    return rows.map((row) => this.#summary(row, open.isOnTerminal(row.id) || there.has(row.id)));
  }

  #summary(row: Row, onTerminal: boolean): PaymentSummary {
    const deliveredAt = row.result_delivered_at ?? row.open_delivered_at;
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
      state: row.result ? 'concluded' : onTerminal ? 'onTerminal' : deliveredAt ? 'delivered' : 'accepted',
      acceptedAt: isoTime(row.accepted_at),
      deliveredAt: isoTimeOrNull(deliveredAt),
      abortRequestedAt: isoTimeOrNull(row.result_abort_requested_at ?? row.open_abort_requested_at),
      deadlineAt: isoTimeOrNull(row.deadline_at),
      concludedAt: isoTimeOrNull(row.concluded_at),
      result: row.result,
      errorCondition: row.error_condition,
      reason: row.why,
    };
  }
}

function payments(db: Tx) {
  return db
    .selectFrom('payments')
    .leftJoin('open_payments', 'open_payments.payment_id', 'id')
    .leftJoin('payment_results', 'payment_results.payment_id', 'id')
    .leftJoin('given_back', 'given_back.original_id', 'id')
    .selectAll('payments')
    .select([
      'open_payments.delivered_at as open_delivered_at',
      'open_payments.abort_requested_at as open_abort_requested_at',
      'open_payments.deadline_at',
      'payment_results.delivered_at as result_delivered_at',
      'payment_results.abort_requested_at as result_abort_requested_at',
      'payment_results.concluded_at',
      'payment_results.result',
      'payment_results.error_condition',
      'payment_results.total',
      'payment_results.decided_by',
      'payment_results.why',
      'payment_results.answer',
      'payment_results.outcome',
      'given_back.amount as given_back',
    ]);
}

function byId(db: Tx, id: string) {
  return payments(db).where('id', '=', id).executeTakeFirst();
}

function unknown(id: string): ApiError {
  return new ApiError('notFound', { message: `Payment ${id} does not exist` });
}

type Row = Awaited<ReturnType<ReturnType<typeof payments>['execute']>>[number];

/**
 * Says which side decided on the payment. The host decided if its last answer agrees with the result and the gateway
 * did not conclude the payment. Otherwise the side that concluded the payment decided.
 */
function deciding(row: Row, entries: LedgerRow[]): Pick<Explanation, 'decidedBy' | 'rule' | 'why'> {
  const word = entries.findLast(
    ({ kind, rule }) =>
      kind === 'authorized' || kind === 'refunded' || (kind === 'declined' && rule !== 'closed'),
  );
  const said = word?.error_condition ? toLowerCamel(word.error_condition) : null;
  if (word && row.decided_by !== 'gateway' && (row.result === null || row.error_condition === said))
    return { decidedBy: 'host', rule: word.rule, why: word.why };
  const pin = row.error_condition === 'wrongPin' && row.pin_rule ? `; ${row.pin_rule}` : '';
  return { decidedBy: row.decided_by, rule: null, why: row.why === null ? null : row.why + pin };
}
