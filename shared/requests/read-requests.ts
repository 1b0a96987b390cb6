import type { JournalEntry } from '../journal.ts';
import { asRecord } from '../journal-fields.ts';
import { RecentlyUsedCache } from '../recently-used.ts';
import { isConnectionBreakingFault } from '../sales/broken-connection.ts';
import { beginsAtTerminal } from '../sales/request-kind.ts';
import { peekEntryData } from './peek-entry-data.ts';
import { PosRequest } from './pos-request.ts';

const acceptedFields = ['requestId', 'idempotencyKey', 'accountId', 'saleReferenceId'] as const;

/** Returns the requests of the point of sale in a journal, in the order in which they came. */
export function readPosRequests(entries: readonly JournalEntry[]): PosRequest[] {
  const reader = new PosRequestAssembler();
  const requests = new Set<PosRequest>();
  for (const entry of entries) {
    const request = reader.take(entry);
    if (request) requests.add(request);
  }
  for (const request of requests) reader.findPayment(request);
  return [...requests];
}

/** Assembles requests from the journal's entries, one entry at a time. */
export class PosRequestAssembler {
  /** For each request id, the latest request with this id. A point of sale can use an id more than once. */
  readonly #byId = new Map<string, PosRequest>();
  /** Requests that asked for a payment link. The journal has not shown yet which link belongs to which request. */
  readonly #credits = new Set<PosRequest>();
  readonly #paymentOfKey: RecentlyUsedCache<string>;
  /** Maps the id of a copied request to the id of the original request. The gateway itself sent the copy. */
  readonly #copies: RecentlyUsedCache<string>;
  readonly #most: number;

  /**
   * @param most the maximum number of requests that are remembered, and also the maximum number of keys; earlier ones
   * are forgotten
   */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#paymentOfKey = new RecentlyUsedCache(most);
    this.#copies = new RecentlyUsedCache(most);
  }

  /**
   * Returns the request that the entry is about, or undefined if the entry is not about a request of a point of sale.
   */
  take(entry: JournalEntry): PosRequest | undefined {
    switch (entry.kind) {
      case 'http.received':
        return this.#received(entry);
      case 'http.answered':
        return this.#answered(entry);
      case 'http.sent':
      case 'http.hungUp':
      case 'fault.injected':
        return this.#broken(entry);
      case 'request.unknownField':
      case 'request.cardNumber': {
        const request = this.#byId.get(entry.data.requestId);
        request?.notes.push(entry);
        return request;
      }
      case 'payment.accepted':
        return this.#accepted(entry);
      case 'credit.changed':
        return this.#linkMade(entry);
      default:
        return undefined;
    }
  }

  /** Sets the payment that the request is about, if the journal has named that payment by now. */
  findPayment(request: PosRequest): void {
    request.payment ??= this.#paymentOf(request);
  }

  /** Forgets open requests up to the entry with the number `upTo`, but keeps the latest `most` of these requests. */
  forgetAllBut(upTo: number, most: number): void {
    const open = [...this.#byId.values()].filter(({ received }) => received.seq <= upTo);
    for (const request of open.slice(0, -most)) {
      this.#byId.delete(request.requestId);
      this.#credits.delete(request);
    }
  }

  #received(entry: JournalEntry<'http.received'>): PosRequest | undefined {
    const request = PosRequest.of(entry);
    if (!request) return this.#copied(entry);
    this.#byId.set(request.requestId, request);
    if (request.kind === 'credit') this.#credits.add(request);
    for (const known of [this.#byId, this.#credits]) {
      if (known.size <= this.#most) continue;
      const [oldest] = known.keys();
      known.delete(oldest as never);
    }
    return request;
  }

  #copied(entry: JournalEntry<'http.received'>): undefined {
    const { requestId, copyOf } = peekEntryData(entry, ['requestId', 'copyOf']);
    if (copyOf !== undefined) this.#copies.set(requestId, copyOf);
  }

  #answered(entry: JournalEntry<'http.answered'>): PosRequest | undefined {
    const { requestId, status, whole, means } = peekEntryData(entry, [
      'requestId',
      'status',
      'whole',
      'means',
    ]);
    const request = this.#byId.get(requestId);
    if (!request || request.hungUp !== undefined) return request;
    request.answered = entry;
    request.status = means?.status ?? status;
    request.as = means?.as;
    request.reusesKey = means?.reusesKey === true;
    if (request.kind === 'credit') this.#credits.delete(request);
    // If the network has not taken the whole answer yet, a later entry will say whether it took the rest.
    if (whole) this.#byId.delete(request.requestId);
    return request;
  }

  #broken(
    entry: JournalEntry<'http.sent'> | JournalEntry<'http.hungUp'> | JournalEntry<'fault.injected'>,
  ): PosRequest | undefined {
    const request = this.#byId.get(entry.data.requestId);
    if (!request || !hasBroken(entry)) return request;
    // If a client does not wait for the whole answer, there can be two entries about the broken connection: `http.sent`
    // and `http.hungUp`.
    if (request.hungUp === undefined || request.hungUp.kind === 'http.sent') request.hungUp = entry;
    request.answered = undefined;
    request.status = undefined;
    request.as = undefined;
    request.reusesKey = false;
    return request;
  }

  #accepted(entry: JournalEntry<'payment.accepted'>): PosRequest | undefined {
    const { requestId, idempotencyKey, accountId, saleReferenceId } = peekEntryData(entry, acceptedFields);
    if (entry.payment === undefined) return undefined;
    const request = this.#byId.get(requestId) ?? this.#lostBefore(requestId);
    if (request) request.payment = entry.payment;
    // In a journal of an older release, this entry has neither the account nor the reference.
    if (accountId !== undefined) request?.noteReference(saleReferenceId);
    if (idempotencyKey !== undefined)
      this.#paymentOfKey.set(keyName(accountId, idempotencyKey), entry.payment);
    return request;
  }

  /**
   * Returns the original request of a copy. The copy arrives only now, because a fault delayed or dropped the original
   * (B400). Returns undefined if there is no such original.
   */
  #lostBefore(requestId: string): PosRequest | undefined {
    const lost = this.#byId.get(this.#copies.get(requestId) ?? '');
    return lost?.hungUp !== undefined && lost.payment === undefined ? lost : undefined;
  }

  /**
   * Assigns a new payment link to the oldest open request for a payment link. The journal does not have the answer that
   * names the link, because that answer contains the link's secret.
   */
  #linkMade(entry: JournalEntry<'credit.changed'>): PosRequest | undefined {
    if (entry.data.state !== 'initiated' || entry.payment === undefined) return undefined;
    const [request] = this.#credits;
    if (!request) return undefined;
    this.#credits.delete(request);
    request.payment = entry.payment;
    return request;
  }

  #paymentOf(request: PosRequest): string | undefined {
    const debit = /^\/debit\/([^/]+)\//.exec(request.path)?.[1];
    if (debit !== undefined || request.kind === 'other') return debit;
    const { transactionId, idempotencyKey } = request.named;
    const key = beginsAtTerminal(request.kind) ? request.key : idempotencyKey;
    const known =
      typeof key === 'string' ? this.#paymentOfKey.get(keyName(request.accountId, key)) : undefined;
    if (known !== undefined) return known;
    if (typeof transactionId === 'string') return transactionId;
    const { identifier, debit_id } = asRecord(request.answered?.data.body);
    const id = identifier ?? debit_id;
    return typeof id === 'string' ? id : undefined;
  }
}

/**
 * Makes a name from a key and its account, because a key is unique only within its account. Older journals do not name
 * the account.
 */
function keyName(accountId: string | undefined, key: string): string {
  return `${accountId ?? ''}\n${key}`;
}

/** Whether the point of sale got no answer, or only a part of the answer. */
function hasBroken(entry: JournalEntry): boolean {
  if (entry.kind === 'http.sent') return !entry.data.whole;
  if (entry.kind !== 'fault.injected') return true;
  const { fault } = entry.data;
  return isConnectionBreakingFault(fault);
}
