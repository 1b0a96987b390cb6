import type { JournalEntry } from '../journal.ts';
import { RecentlyUsedCache } from '../recently-used.ts';
import type { CrowdedReferences } from './crowded-references.ts';
import { beginsAtTerminal } from './request-kind.ts';
import type { AttemptKind, SaleKind } from './sale.ts';
import { beginsAnotherSale, type SaleIndex, saleIndexKeys } from './sale-index.ts';
import type { AttemptRecord, CallRecord, SaleRecord } from './sale-record.ts';

type Changed = (record: SaleRecord) => void;

/** Reads the journal's entries about payments, debits, refunds and credits, and records them in the sales. */
export class AttemptRecorder {
  readonly #index: SaleIndex;
  readonly #crowds: CrowdedReferences;
  readonly #changed: Changed;
  /**
   * A capture can be journaled before the first state of its debit. In that case, this map keeps the captured amount.
   */
  readonly #captured = new RecentlyUsedCache<number>(1_000);

  /** The requests of the control API, by id. */
  readonly #operatorRequests = new RecentlyUsedCache<true>(1_000);

  /** Maps the id of a copied request to the id of the original request. The gateway itself sent the copy. */
  readonly #copies = new RecentlyUsedCache<string>(1_000);

  constructor(index: SaleIndex, crowds: CrowdedReferences, changed: Changed) {
    this.#index = index;
    this.#crowds = crowds;
    this.#changed = changed;
  }

  /**
   * Marks a request as sent by the operator. If the request starts a payment, no point of sale asked for that payment
   * (B511).
   */
  byOperator(requestId: string): void {
    this.#operatorRequests.set(requestId, true);
  }

  /**
   * Notes that a request is a copy. If the copy starts a payment, the payment belongs to the sale of the request that
   * was copied, and the journal counts as having the payment's request (B400).
   */
  copied(requestId: string, of: string): void {
    this.#copies.set(requestId, of);
  }

  accepted({ at, payment, terminal, data }: JournalEntry<'payment.accepted'>): void {
    if (payment === undefined) return;
    const copied = this.#copies.get(data.requestId);
    const begun = this.#index.call(data.requestId);
    const saleOfCall = begun?.record ?? (copied === undefined ? undefined : this.#index.saleOfCall(copied));
    const record = this.#findOrCreateSale(payment, saleOfCall, data, at);
    const callThatBegan = begun && beginsAtTerminal(begun.call.kind) ? begun.call : undefined;
    const call = callThatBegan ?? lostCall(record, copied);
    const attempt = this.findOrCreateAttempt(record, payment, at);
    fillAttempt(attempt, terminal, data);
    if (this.#operatorRequests.get(data.requestId)) attempt.ofOperator = true;
    attempt.known = call !== undefined || copied !== undefined || attempt.ofOperator === true;
    if (call) call.payment = payment;
    if (callThatBegan) this.#moveCall(callThatBegan, record);
    record.accountId ??= data.accountId;
    if (data.original === undefined) record.reference ??= data.saleReferenceId;
    if (record.saleId === undefined) this.#index.identify(record, data.original ?? payment);
    if (attempt.kind !== 'reversal')
      for (const each of this.#crowds.divideIfTooMany(record)) this.#changed(each);
    this.#changed(record);
  }

  /** Moves a call to another sale. If this leaves the former sale empty, removes that sale. */
  #moveCall(call: CallRecord, record: SaleRecord): void {
    const former = this.#index.place(call, record);
    if (former?.isEmpty) this.#index.handOver(former, record);
    else if (former) this.#changed(former);
  }

  #findOrCreateSale(
    payment: string,
    saleOfCall: SaleRecord | undefined,
    data: JournalEntry<'payment.accepted'>['data'],
    at: number,
  ): SaleRecord {
    if (data.original !== undefined)
      return this.#findOrCreateSaleOfOriginal(payment, data.original, data, at);
    const { accountId = '', saleReferenceId, idempotencyKey } = data;
    const known = this.#index.find(saleIndexKeys.payment(payment)) ?? saleOfCall;
    if (known) return known;
    const names = [
      ...(saleReferenceId === undefined || this.#crowds.has(accountId, saleReferenceId)
        ? []
        : [saleIndexKeys.reference(accountId, saleReferenceId)]),
      ...(idempotencyKey === undefined ? [] : [saleIndexKeys.key(accountId, idempotencyKey)]),
    ];
    const found = names.map((name) => this.#index.find(name)).find((each) => each !== undefined);
    const record = found && !beginsAnotherSale(found, at) ? found : this.#index.create('payment', at);
    for (const name of names) this.#index.name(record, name);
    return record;
  }

  /**
   * Returns the sale of a reversal's original payment. The reversal belongs to that sale, even if the reversal comes
   * much later or has another reference (B510).
   */
  #findOrCreateSaleOfOriginal(
    payment: string,
    original: string,
    { accountId = '', idempotencyKey }: JournalEntry<'payment.accepted'>['data'],
    at: number,
  ): SaleRecord {
    const record =
      this.#index.find(saleIndexKeys.payment(original)) ??
      this.#index.find(saleIndexKeys.payment(payment)) ??
      this.#index.create('payment', at);
    this.#index.name(record, saleIndexKeys.payment(original));
    this.#index.name(record, saleIndexKeys.payment(payment));
    if (idempotencyKey !== undefined) this.#index.name(record, saleIndexKeys.key(accountId, idempotencyKey));
    return record;
  }

  /** Returns the sale of a payment. If the journal has no entry about the payment yet, the sale is created. */
  findOrCreateSaleOf(payment: string | undefined, at: number): SaleRecord | undefined {
    return payment === undefined ? undefined : this.#findOrCreate(payment, at, 'payment')[0];
  }

  /**
   * Returns the sale's attempt with this payment id. A missing attempt is created, because it may have begun before the
   * journal begins.
   */
  findOrCreateAttempt(record: SaleRecord, payment: string, at: number): AttemptRecord {
    const known = record.attempts.find((each) => each.payment === payment);
    if (known) return known;
    const attempt: AttemptRecord = {
      kind: record.kind,
      payment,
      acceptedAt: at,
      outcome: 'open',
      moved: 0,
      refunded: 0,
      told: false,
      known: false,
    };
    record.attempts.push(attempt);
    this.#index.name(record, saleIndexKeys.payment(payment));
    return attempt;
  }

  /** Returns the sale of a payment and the attempt in that sale, if they are known. */
  #find(payment = ''): [record?: SaleRecord, attempt?: AttemptRecord] {
    const record = this.#index.find(saleIndexKeys.payment(payment));
    return [record, record?.attempts.find((each) => each.payment === payment)];
  }

  /** Returns the attempt with this payment id, and its sale. Both are created if they are missing. */
  #findOrCreate(payment: string, at: number, kind: SaleKind, terminal?: string): [SaleRecord, AttemptRecord] {
    const record = this.#index.find(saleIndexKeys.payment(payment)) ?? this.#index.create(kind, at);
    const attempt = this.findOrCreateAttempt(record, payment, at);
    attempt.terminal ??= terminal;
    if (record.saleId === undefined) this.#index.identify(record, payment);
    return [record, attempt];
  }

  concluded({ at, payment, terminal, data }: JournalEntry<'payment.concluded'>): void {
    if (payment === undefined) return;
    const [record, attempt] = this.#findOrCreate(payment, at, 'payment', terminal);
    attempt.outcome = data.result;
    attempt.reason = data.errorCondition;
    attempt.why = data.why;
    attempt.concludedAt = at;
    this.#changed(record);
  }

  /**
   * Notes that money was moved. A payment at a terminal counts as charged when it is authorized. A debit counts as
   * charged when it is captured.
   */
  moved({
    kind,
    payment,
    data,
  }: JournalEntry<'ledger.authorized' | 'ledger.captured' | 'ledger.reversed'>): void {
    const [record, attempt] = this.#find(payment);
    if (!record || !attempt) {
      if (kind === 'ledger.captured' && payment !== undefined) this.#captured.set(payment, data.amount);
      return;
    }
    const charging = record.kind === 'charge' ? 'ledger.captured' : 'ledger.authorized';
    if (kind === charging) attempt.moved += data.amount;
    if (kind === 'ledger.reversed') attempt.moved = Math.max(0, attempt.moved - data.amount);
    if (kind === 'ledger.authorized' && record.kind === 'payment') {
      attempt.pspReference = data.pspReference;
      this.#index.name(record, saleIndexKeys.authorization(record.accountId ?? '', data.pspReference));
    }
    this.#changed(record);
  }

  refunded({ kind, payment, data }: JournalEntry<'ledger.refunded' | 'ledger.returned'>): void {
    const [record, attempt] = this.#find(payment);
    if (!record || !attempt) return;
    attempt.refunded += kind === 'ledger.refunded' ? data.amount : -data.amount;
    if (record.kind === 'charge')
      record.refunds.set(data.refund, kind === 'ledger.refunded' ? data.amount : 0);
    this.#changed(record);
  }

  debitChanged({ at, payment, data }: JournalEntry<'debit.changed'>): void {
    if (payment === undefined) return;
    const outcome = data.state === 'preauthorized' ? 'open' : data.state === 'paid' ? 'success' : 'failure';
    const isItsCall = ({ kind }: CallRecord) => kind === 'charge' || kind === 'preauthorize';
    this.#stateChanged(payment, { kind: 'charge', at, outcome, ...data }, isItsCall);
  }

  refundChanged({ at, payment: debit, data }: JournalEntry<'refund.changed'>): void {
    const { refund, status, ...money } = data;
    const outcome = status === 'processing' ? 'open' : status === 'submitted' ? 'success' : 'failure';
    const isItsCall = ({ kind, payment }: CallRecord) => kind === 'refund' && payment === debit;
    const record = this.#stateChanged(
      refund,
      { kind: 'refund', at, outcome, state: status, ...money },
      isItsCall,
    );
    record.refundOf ??= this.#index.find(saleIndexKeys.payment(debit ?? ''));
    record.accountId ??= record.refundOf?.accountId;
    const { refunds } = record.refundOf ?? {};
    if (refunds && !refunds.has(refund)) refunds.set(refund, 0);
  }

  creditChanged({ at, payment, data }: JournalEntry<'credit.changed'>): void {
    if (payment === undefined) return;
    const outcome = data.state === 'initiated' ? 'open' : data.state === 'completed' ? 'success' : 'failure';
    this.#stateChanged(payment, { kind: 'link', at, outcome, ...data }, ({ kind }) => kind === 'credit');
  }

  /**
   * Notes a new state of a debit, refund or credit. The first state is journaled before the request that caused it is
   * answered, so the journal does not name the request yet. In that case, the oldest open call that fits is assumed to
   * be the request.
   */
  #stateChanged(
    name: string,
    change: {
      kind: SaleKind;
      at: number;
      outcome: AttemptRecord['outcome'];
      state: string;
      amount: number;
      currency: string;
      why: string;
    },
    isItsCall: (call: CallRecord) => boolean,
  ): SaleRecord {
    const isNew = this.#index.find(saleIndexKeys.payment(name)) === undefined;
    const [record, attempt] = this.#findOrCreate(name, change.at, change.kind);
    attempt.amount ??= change.amount;
    attempt.currency ??= change.currency;
    attempt.moved += this.#captured.get(name) ?? 0;
    this.#captured.delete(name);
    if (attempt.outcome !== change.outcome) attempt.told = false;
    attempt.outcome = change.outcome;
    attempt.reason = change.state;
    attempt.why = change.why;
    attempt.concludedAt = change.outcome === 'open' ? undefined : change.at;
    const call = isNew ? this.#index.unplaced(isItsCall) : undefined;
    if (call) {
      attempt.known = true;
      call.payment = name;
      this.#index.place(call, record);
      record.accountId ??= call.accountId;
    }
    this.#changed(record);
    return record;
  }

  /**
   * Notes that the point of sale received the outcome of these payments: the network took the whole answer, or the
   * receiver of an event accepted the event.
   */
  tell(payments: readonly string[]): void {
    for (const payment of payments) {
      const [record, attempt] = this.#find(payment);
      if (!record || !attempt) continue;
      // An open debit is left out, because the point of sale has only learnt of a hold, and not of a capture. An open
      // payment is not left out, because its outcome may be received before another gateway journals that the payment
      // is concluded.
      if (record.kind !== 'payment' && attempt.outcome === 'open') continue;
      attempt.told = true;
      this.#changed(record);
    }
  }
}

function fillAttempt(
  attempt: AttemptRecord,
  terminal: string | undefined,
  data: JournalEntry<'payment.accepted'>['data'],
): void {
  attempt.kind = kindOf(data);
  attempt.original = data.original;
  attempt.key = data.idempotencyKey;
  attempt.terminal = terminal;
  attempt.amount = data.amount;
  attempt.currency = data.currency;
}

function kindOf({ paymentKind }: JournalEntry<'payment.accepted'>['data']): AttemptKind {
  return paymentKind === 'refund' ? 'cardRefund' : (paymentKind ?? 'payment');
}

/**
 * Returns the earlier call whose request a fault had delayed or dropped. The call is over, although its payment begins
 * only now.
 */
function lostCall({ calls }: SaleRecord, id: string | undefined): CallRecord | undefined {
  return calls.find(
    ({ requestId, payment, end }) => requestId === id && payment === undefined && end === 'lost',
  );
}
