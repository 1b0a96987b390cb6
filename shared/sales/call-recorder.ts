import type { JournalEntry } from '../journal.ts';
import { asRecord, asText } from '../journal-fields.ts';
import { readCallAnswer, readNeededBody } from './answer-of-call.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { isConnectionBreakingFault } from './broken-connection.ts';
import { isOperatorRequest, readCall } from './call-of-request.ts';
import type { CrowdedReferences } from './crowded-references.ts';
import { findOwnSellerByUserAgent } from './own-seller.ts';
import type { RequestKind } from './request-kind.ts';
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
    const { index, attempts, changed } = this.#parts;
    const { copyOf, requestId, headers } = entry.data;
    // the gateway itself sent this request, as a copy of an earlier request
    if (copyOf !== undefined) return attempts.copied(requestId, copyOf);
    if (isOperatorRequest(entry)) return attempts.byOperator(requestId);
    const read = readCall(entry);
    if (!read) return;
    const { call, reference } = read;
    const isSale = call.kind === 'payment' || call.kind === 'cardRefund';
    const record = isSale ? this.#saleOf(call, reference) : this.#knownSaleOf(call);
    index.begin(call, record);
    if (!record) return;
    if (isSale) record.own ??= findOwnSellerByUserAgent(headers?.['user-agent']);
    if (call.kind === 'payment')
      index.name(record, saleIndexKeys.terminal(call.accountId, call.terminal ?? ''));
    changed(record);
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
    const body = readNeededBody(call, entry.data);
    call.error = call.status >= 400 ? (means?.as ?? asText(body.error)) : undefined;
    endCall(call, 'answered', entry.at);
    const { payment, told } =
      outcomeOf === undefined
        ? readCallAnswer(call, call.status, body)
        : { payment: outcomeOf, told: [outcomeOf] };
    this.#moveToSaleOf(call, payment, asText(asRecord(body.saleData).saleReferenceId));
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
    if (entry.kind === 'fault.injected' && !isConnectionBreakingFault(entry.data.fault))
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
   * Moves a call to the sale of the payment in the call's answer. The payment's sale may be new. It may also differ
   * from the sale that was found earlier from the data in the request.
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
      if (!known && showsEarlierPayment(call)) attempts.findOrCreateAttempt(record, payment, call.at);
    }
    record.accountId ??= call.accountId;
    const former = index.place(call, record);
    if (former?.isEmpty) index.handOver(former, record);
    else if (former) changed(former);
  }

  #createSaleOf(call: CallRecord, payment: string | undefined): SaleRecord | undefined {
    const showsPayment = payment !== undefined && (call.kind === 'latest' || call.kind === 'status');
    const kind = showsPayment ? 'payment' : saleKindByRequest[call.kind];
    return kind && this.#parts.index.create(kind, call.at);
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
