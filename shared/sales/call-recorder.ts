import type { JournalEntry } from '../journal.ts';
import { asRecord } from '../journal-fields.ts';
import { splitTarget, toOriginForm } from '../request-target.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { breaksConnection } from './broken-connection.ts';
import type { CrowdedReferences } from './crowded-references.ts';
import { ownSellerOf } from './own-seller.ts';
import { dialectRequestKindOf, type RequestKind, requestKindOf, resourceIdIn } from './request-kind.ts';
import type { SaleKind } from './sale.ts';
import { beginsAnotherSale, type SaleIndex, saleIndexKeys } from './sale-index.ts';
import type { CallRecord, SaleRecord } from './sale-record.ts';

interface Parts {
  readonly index: SaleIndex;
  readonly crowds: CrowdedReferences;
  readonly attempts: AttemptRecorder;
  readonly changed: (record: SaleRecord) => void;
}

/** If the sale of a call is not known, a sale of this kind is created for the call. */
const saleKindByRequest: Partial<Record<RequestKind, SaleKind>> = {
  payment: 'payment',
  cardRefund: 'payment',
  status: 'payment',
  charge: 'charge',
  preauthorize: 'charge',
  refund: 'refund',
  credit: 'link',
};

/** Reads the journal's entries about requests, and records them in the sales. */
export class CallRecorder {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  received(entry: JournalEntry<'http.received'>): void {
    const { accountId, copyOf, method, path: target, requestId, headers, body, asks } = entry.data;
    // the gateway itself sent this request, as a copy of an earlier request
    if (copyOf !== undefined) return this.#parts.attempts.copied(requestId, copyOf);
    const [path, query] = splitTarget(toOriginForm(target) ?? target);
    if (path.startsWith('/control/')) return this.#parts.attempts.byOperator(requestId);
    if (accountId === undefined) return; // the request carried no API token
    const kind = asks ? dialectRequestKindOf(asks) : requestKindOf(method, path);
    if (kind === undefined || kind === 'other') return;
    const fields = kind === 'status' ? Object.fromEntries(new URLSearchParams(query)) : asRecord(body);
    const askedKey = kind === 'status' || kind === 'abort' ? text(fields.idempotencyKey) : undefined;
    const call: CallRecord = {
      requestId,
      kind,
      method,
      path,
      at: entry.at,
      accountId,
      key: asks ? asks.key : kind === 'payment' ? headers?.['idempotency-key'] : askedKey,
      terminal: asks ? asks.terminal : resourceIdIn(path),
      amount: asks ? asks.amount : amountIn(kind, body),
      original: asks?.original,
      gateway: entry.gateway,
      end: 'open',
      payment:
        kind === 'capture' || kind.startsWith('refund') ? resourceIdIn(path) : text(fields.transactionId),
      telling: [],
      told: false,
    };
    const reference = asks ? asks.reference : text(asRecord(asRecord(body).saleData).saleReferenceId);
    const record =
      kind === 'payment' || kind === 'cardRefund' ? this.#saleOf(call, reference) : this.#knownSaleOf(call);
    this.#parts.index.begin(call, record);
    if (!record) return;
    if (kind === 'payment' || kind === 'cardRefund') record.own ??= ownSellerOf(headers?.['user-agent']);
    if (kind === 'payment')
      this.#parts.index.name(record, saleIndexKeys.terminal(accountId, call.terminal ?? ''));
    this.#parts.changed(record);
  }

  /**
   * Finds the sale of a call by the call's reference, unless too many payments share that reference. If this finds no
   * sale, finds the sale by the call's key. If no sale is found, creates one.
   */
  #saleOf(call: CallRecord, reference: string | undefined): SaleRecord {
    const { index, crowds } = this.#parts;
    const { accountId, key, at } = call;
    const usesReference = reference !== undefined && !crowds.has(accountId, reference);
    const names = [
      ...(usesReference ? [saleIndexKeys.reference(accountId, reference)] : []),
      ...(key === undefined ? [] : [saleIndexKeys.key(accountId, key)]),
    ];
    const found = names
      .map((name) => index.find(name))
      .find((each) => each !== undefined && this.#fitsReference(each, reference, usesReference));
    const record = found && !beginsAnotherSale(found, at) ? found : index.create('payment', at);
    record.accountId ??= accountId;
    record.reference ??= reference;
    for (const name of names) index.name(record, name);
    return record;
  }

  /**
   * Whether a call with this reference can belong to the sale. If the sale was found by its key, the sale may have
   * another reference.
   */
  #fitsReference(
    { reference: own }: SaleRecord,
    reference: string | undefined,
    usesReference: boolean,
  ): boolean {
    return own === undefined || reference === undefined || own === reference || !usesReference;
  }

  #knownSaleOf(call: CallRecord): SaleRecord | undefined {
    const { kind, accountId, key, terminal, payment, at } = call;
    const { index } = this.#parts;
    if (kind === 'reversal') return this.#saleOfOriginal(call);
    if (kind === 'latest' || kind === 'abortLatest')
      return index.find(saleIndexKeys.terminal(accountId, terminal ?? ''));
    if (kind === 'refund') return undefined;
    if (payment !== undefined) return index.find(saleIndexKeys.payment(payment));
    if (key === undefined) return undefined;
    const known = index.find(saleIndexKeys.key(accountId, key));
    if (known || kind !== 'status') return known;
    const record = index.create('payment', at);
    record.accountId = accountId;
    index.name(record, saleIndexKeys.key(accountId, key));
    return record;
  }

  /**
   * Returns the sale of a reversal's original payment. Also registers the reversal's key as a name of that sale. So a
   * status request with that key finds the sale even if the journal does not show yet that the reversal was accepted.
   */
  #saleOfOriginal({ accountId, key, original }: CallRecord): SaleRecord | undefined {
    const { index } = this.#parts;
    const record =
      original === undefined ? undefined : index.find(saleIndexKeys.authorization(accountId, original));
    if (record && key !== undefined) index.name(record, saleIndexKeys.key(accountId, key));
    return record;
  }

  answered(entry: JournalEntry<'http.answered'>): void {
    const { index, attempts } = this.#parts;
    const { requestId, status, whole, means, outcomeOf } = entry.data;
    const call = index.call(requestId)?.call;
    if (!call) return;
    call.status = means?.status ?? status;
    call.as = means?.as;
    const body = neededBody(call, entry.data);
    call.error = call.status >= 400 ? (means?.as ?? text(body.error)) : undefined;
    endCall(call, 'answered', entry.at);
    const { payment, told } =
      outcomeOf === undefined
        ? readAnswer(call, call.status, body)
        : { payment: outcomeOf, told: [outcomeOf] };
    this.#moveToSaleOf(call, payment, text(asRecord(body.saleData).saleReferenceId));
    if (whole) {
      call.told = told.length > 0;
      attempts.tell(told);
    } else if (whole === false) call.telling = told;
    this.#identifyAndReport(call);
    if (whole !== false) index.end(call);
  }

  /**
   * Handles the end of an answer that the network did not take at once. By now the network has taken the whole answer,
   * or the answer was cut off.
   */
  sent(entry: JournalEntry<'http.sent'>): void {
    const { index, attempts } = this.#parts;
    const call = index.call(entry.data.requestId)?.call;
    if (!call) return;
    if (entry.data.whole) call.told = call.telling.length > 0;
    else endCall(call, 'cutOff', entry.at);
    const { telling } = call;
    call.telling = [];
    this.#identifyAndReport(call);
    index.end(call);
    if (entry.data.whole) attempts.tell(telling);
  }

  broken(entry: JournalEntry<'http.hungUp' | 'fault.injected'>): void {
    const call = this.#parts.index.call(entry.data.requestId)?.call;
    if (!call) return;
    if (entry.kind === 'fault.injected' && !breaksConnection(entry.data.fault))
      return this.#identifyAndReport(call);
    if (call.end === 'open') endCall(call, entry.kind === 'http.hungUp' ? 'hungUp' : 'lost', entry.at);
    this.#moveToSaleOf(call, call.payment);
    this.#identifyAndReport(call);
    this.#parts.index.end(call);
  }

  /**
   * Ends the open calls of a gateway that is gone, because it cannot be known what the gateway did with their requests.
   */
  gatewayGone(gateway: string | undefined, at: number): void {
    for (const call of this.#parts.index.underWay) {
      if (call.gateway !== gateway) continue;
      if (call.end === 'open') endCall(call, 'lost', at);
      this.#identifyAndReport(call);
      this.#parts.index.end(call);
    }
  }

  /**
   * Moves a call to the sale of the payment in the call's answer. That sale may be new, and it may differ from the sale
   * that was found by the request.
   */
  #moveToSaleOf(call: CallRecord, payment: string | undefined, reference?: string): void {
    const { index, attempts, changed } = this.#parts;
    const begun = index.call(call.requestId);
    const known = payment === undefined ? undefined : index.find(saleIndexKeys.payment(payment));
    const record = known ?? begun?.record ?? this.#createSaleOf(call, payment);
    if (!record) return;
    if (payment !== undefined) {
      call.payment = payment;
      if (!namesEarlierPayment(call.kind)) record.reference ??= reference;
      if (!known && showsEarlierPayment(call)) attempts.attempt(record, payment, call.at);
    }
    record.accountId ??= call.accountId;
    const former = index.place(call, record);
    if (former?.isEmpty) index.handOver(former, record);
    else if (former) changed(former);
  }

  #createSaleOf(call: CallRecord, payment: string | undefined): SaleRecord | undefined {
    const kind = payment !== undefined && call.kind === 'latest' ? 'payment' : saleKindByRequest[call.kind];
    if (kind === undefined || (call.kind === 'status' && payment === undefined)) return undefined;
    return this.#parts.index.create(kind, call.at);
  }

  #identifyAndReport(call: CallRecord): void {
    const { index, changed } = this.#parts;
    const record = index.call(call.requestId)?.record;
    if (!record) return;
    if (record.saleId === undefined)
      index.identify(record, record.attempts[0]?.payment ?? `request-${call.requestId}`);
    changed(record);
  }
}

function endCall(call: CallRecord, end: CallRecord['end'], at: number): void {
  call.end = end;
  call.endedAt = at;
}

/**
 * Returns the fields of an answer's body. If the body is not needed to understand the answer, returns no fields and
 * does not read the body, because reading it costs more than everything else here. Most answers need no body.
 */
function neededBody(
  { payment, status }: CallRecord,
  data: JournalEntry<'http.answered'>['data'],
): Record<string, unknown> {
  const isUnderWay = payment !== undefined && (status === 202 || status === 303);
  return data.outcomeOf !== undefined || isUnderWay ? {} : asRecord(data.body);
}

/**
 * Whether a request of this kind names an earlier payment. The answer to such a request names a new resource, for
 * example a refund.
 */
function namesEarlierPayment(kind: RequestKind): boolean {
  return kind === 'capture' || kind === 'reversal' || kind.startsWith('refund');
}

const kindsThatShowPayments: ReadonlySet<RequestKind> = new Set([
  'payment',
  'cardRefund',
  'status',
  'latest',
]);

/**
 * Whether the answer to a call shows a payment. If the journal does not have the acceptance of that payment, the
 * payment began before the journal begins.
 */
function showsEarlierPayment({ kind, status }: CallRecord): boolean {
  return kindsThatShowPayments.has(kind) && (status ?? 500) < 400;
}

/** Reads from an answer which payment the answer is about, and which outcomes the answer contains. */
function readAnswer(
  call: CallRecord,
  status: number,
  body: Record<string, unknown>,
): { payment: string | undefined; told: string[] } {
  const { kind } = call;
  const identifier = text(body.identifier) ?? text(body.debit_id);
  const isOutcome = status === 200 || (status === 402 && identifier !== undefined);
  if (kind === 'payment' || kind === 'status' || kind === 'latest')
    return {
      payment: identifier ?? call.payment,
      told: status === 200 && identifier !== undefined && body.response !== undefined ? [identifier] : [],
    };
  if (kind === 'refund') {
    const id = text(body.id);
    return { payment: id, told: status === 201 && id !== undefined ? [id] : [] };
  }
  if (kind === 'refunds' && status === 200 && Array.isArray(body.refunds))
    return { payment: call.payment, told: body.refunds.flatMap((refund) => text(asRecord(refund).id) ?? []) };
  const id = identifier ?? call.payment;
  const tells = ['charge', 'preauthorize', 'capture', 'credit'].includes(kind) && isOutcome;
  return { payment: id, told: tells && id !== undefined ? [id] : [] };
}

function amountIn(kind: RequestKind, body: unknown): number | undefined {
  const { paymentTransaction, amount } = asRecord(body);
  const { requestedAmount } = asRecord(asRecord(paymentTransaction).amountsReq);
  const asked =
    kind === 'payment' ? requestedAmount : saleKindByRequest[kind] && kind !== 'status' ? amount : undefined;
  return typeof asked === 'number' && Number.isFinite(asked) ? asked : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
