import { put } from '../../shared/database/unit-of-work.ts';
import { alphanumeric } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { prepared, preparedInsert } from '../store/prepared.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { Tx, Unit } from '../store/schema.ts';
import { type AttemptId, authorizationIn, counted, noAttempts, type Standing } from './attempts.ts';

/** The payment an entry belongs to. */
export interface LedgerSubject {
  id: string;
  accountId: string;
  environment: LedgerRow['environment'];
  currency: string;
}

type Particulars = Pick<LedgerRow, 'kind' | 'amount' | 'rule' | 'why'> &
  Partial<
    Pick<
      LedgerRow,
      | 'psp_reference'
      | 'auth_code'
      | 'error_condition'
      | 'refusal_reason'
      | 'message'
      | 'attempt_id'
      | 'card'
      | 'application'
      | 'refund_id'
    >
  >;

const insertEntry = preparedInsert('ledger');
const entriesOf = prepared((db, arg: (name: 'paymentId') => never) =>
  db.selectFrom('ledger').selectAll().where('payment_id', '=', arg('paymentId')).orderBy('id'),
);

/** The acquirer's book: entries are only ever appended (B133). */
export class Ledger {
  #runtime: Runtime;
  /** Of payments that are open now, so that their book need not be read again and again. */
  #standings = new Map<string, Standing>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  entries(tx: Tx, paymentId: string): Promise<LedgerRow[]> {
    return entriesOf(tx, { paymentId });
  }

  /** Keeps the standing of a payment that is new, and so has no entries, in memory until it is forgotten. */
  begin(unit: Unit, paymentId: string): void {
    put(unit, this.#standings, paymentId, noAttempts);
  }

  /** The payment is over. */
  forget(paymentId: string): void {
    this.#standings.delete(paymentId);
  }

  async standing(tx: Tx, paymentId: string): Promise<Standing> {
    const known = this.#standings.get(paymentId);
    if (known) return known;
    return (await this.entries(tx, paymentId)).reduce(counted, noAttempts);
  }

  /** What an issuer gives with an authorization: six digits. */
  authCode(): string {
    return String(this.#runtime.random.int(1_000_000)).padStart(6, '0');
  }

  /** Writes one entry; the caller journals it once it is committed. */
  async append(unit: Unit, payment: LedgerSubject, particulars: Particulars): Promise<LedgerRow> {
    const row: LedgerRow = {
      id: this.#runtime.identifiers.next(),
      payment_id: payment.id,
      account_id: payment.accountId,
      environment: payment.environment,
      at: this.#runtime.clock.now(),
      currency: payment.currency,
      psp_reference: alphanumeric(this.#runtime.random, 16),
      auth_code: null,
      error_condition: null,
      refusal_reason: null,
      message: null,
      attempt_id: null,
      card: null,
      application: null,
      refund_id: null,
      ...particulars,
    };
    await insertEntry(unit, row);
    const standing = this.#standings.get(payment.id);
    if (standing) put(unit, this.#standings, payment.id, counted(standing, row));
    return row;
  }

  /** Ends one attempt: what was authorized in it is taken back, and nothing is any more. Undefined where it had ended. */
  async endAttempt(
    unit: Unit,
    payment: LedgerSubject,
    attemptId: AttemptId,
    because: { rule: string; why: string },
  ): Promise<LedgerRow | undefined> {
    const { attempts } = await this.standing(unit, payment.id);
    const attempt = attempts.get(attemptId);
    if (attempt?.ended) return undefined;
    const authorized = attempt?.answer?.kind === 'authorized' ? attempt.answer : undefined;
    return this.append(unit, payment, {
      kind: authorized ? 'reversed' : 'closed',
      amount: authorized?.amount ?? 0,
      attempt_id: attemptId,
      ...(authorized ? { psp_reference: authorized.psp_reference } : {}),
      ...because,
    });
  }

  /** Takes back what stands, whatever attempt it is of; undefined where nothing does. */
  async reverse(
    unit: Unit,
    payment: LedgerSubject,
    because: { rule: string; why: string },
  ): Promise<LedgerRow | undefined> {
    const authorization = authorizationIn(await this.standing(unit, payment.id));
    return authorization && this.endAttempt(unit, payment, authorization.attempt_id, because);
  }

  /** Journals a committed entry. */
  journal(entry: LedgerRow, terminal: string | undefined): void {
    const about = { terminal, payment: entry.payment_id };
    const { journal } = this.#runtime;
    const { amount, currency, psp_reference: pspReference } = entry;
    const rule = `${entry.rule}: ${entry.why}`;
    if (entry.kind === 'authorized')
      journal.add('ledger.authorized', { amount, currency, pspReference, rule }, about);
    else if (entry.kind === 'declined')
      journal.add('ledger.declined', { amount, currency, pspReference, rule }, about);
    else if (entry.kind === 'captured')
      journal.add('ledger.captured', { amount, currency, pspReference, rule }, about);
    else if (entry.kind === 'refunded')
      journal.add('ledger.refunded', { amount, currency, refund: entry.refund_id ?? '' }, about);
    else if (entry.kind === 'returned')
      journal.add(
        'ledger.returned',
        { amount, currency, refund: entry.refund_id ?? '', reason: entry.why },
        about,
      );
    else journal.add('ledger.reversed', { reason: entry.why, amount }, about);
  }
}
