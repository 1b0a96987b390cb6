import type { DialectRequestMeaning } from '../dialect-meaning.ts';
import type { JournalEntry } from '../journal.ts';
import { asRecord } from '../journal-fields.ts';
import { splitTarget, toOriginForm } from '../request-target.ts';
import {
  beginsAtTerminal,
  dialectRequestKindOf,
  type RequestKind,
  requestKindOf,
  resourceIdIn,
} from '../sales/request-kind.ts';

import { peekEntryData } from './peek-entry-data.ts';

import { shortenName } from './short-name.ts';

type Received = JournalEntry<'http.received'>;
type Answered = JournalEntry<'http.answered'>;
/**
 * An entry that says how the connection broke. Either the client hung up, or the network did not take the whole answer,
 * or a fault that a test had asked for broke the connection.
 */
type Broken = JournalEntry<'http.hungUp'> | JournalEntry<'http.sent'> | JournalEntry<'fault.injected'>;

/** An entry that says that a field of a request is unknown or looks like a card number. */
type RequestNote = JournalEntry<'request.unknownField'> | JournalEntry<'request.cardNumber'>;

/** The fields that are read from the entry of every request. */
const readFields = ['requestId', 'method', 'path', 'accountId', 'copyOf', 'headers', 'asks'] as const;
const readHeaders = ['idempotency-key', 'prefer'] as const;

/** One request of the point of sale as the journal shows it, and how it ended. */
export class PosRequest {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The Idempotency-Key, if the request has one. For a request of another API, the key that is used instead. */
  readonly key: string | undefined;
  readonly prefer: string | undefined;
  readonly accountId: string | undefined;
  readonly received: Received;
  /** The entry of the complete answer that the point of sale got; undefined if the journal shows no such answer. */
  answered: Answered | undefined;
  /**
   * The status of the answer in `answered`. For another API, this is the status with which the payments API would give
   * the same answer.
   */
  status: number | undefined;
  /** If the request belongs to an API other than the payments API: that API's word for the status. */
  as: string | undefined;
  /**
   * Whether the answer of another API refuses the request because an earlier request had the same key and another body.
   * The payments API says that in the answer's body instead.
   */
  reusesKey = false;
  /** The entry about the broken connection, if the point of sale got no answer or only a part of an answer. */
  hungUp: Broken | undefined;
  /** The payment, debit or credit that the request is about, if the journal shows it. */
  payment: string | undefined;
  readonly notes: RequestNote[] = [];
  readonly #asks: DialectRequestMeaning | undefined;
  #queryText: string;
  #reference: string | null | undefined;
  #saleName: string | undefined;

  private constructor(
    received: Received,
    data: Pick<Received['data'], (typeof readFields)[number]>,
    kind: RequestKind,
    path: string,
    query: string,
  ) {
    const { method, requestId, headers, accountId, asks } = data;
    this.requestId = requestId;
    this.kind = kind;
    this.method = method;
    this.path = path;
    this.#queryText = query;
    this.#asks = asks;
    if (asks) this.noteReference(asks.reference);
    this.key = asks ? (beginsAtTerminal(kind) ? asks.key : undefined) : headers?.['idempotency-key'];
    this.prefer = headers?.prefer;
    this.accountId = accountId;
    this.received = received;
  }

  /** Makes a request from the entry, or returns undefined if the entry is not a request of a point of sale. */
  static of(received: Received): PosRequest | undefined {
    const data = peekEntryData(received, readFields, readHeaders);
    const { method, path: target, copyOf, asks } = data;
    if (copyOf !== undefined) return undefined;
    const [path, query] = splitTarget(toOriginForm(target) ?? target);
    const kind = asks ? dialectRequestKindOf(asks) : requestKindOf(method, path);
    return kind && new PosRequest(received, data, kind, path, query);
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#queryText);
  }

  /**
   * Names the key of the request's payment in words for people. In another API, names the identifier that is used
   * instead, for example the ServiceID.
   */
  get keyText(): string {
    const { key, id } = this.#asks ?? { key: this.key, id: undefined };
    if (id !== undefined) return `the ServiceID ${id}`;
    return key === undefined ? 'no key' : `the key ${key}`;
  }

  /** The identifier of the terminal that the request names. */
  get terminal(): string | undefined {
    return this.#asks ? this.#asks.terminal : resourceIdIn(this.path);
  }

  /** For a reversal: the host's reference of the payment whose money the reversal gives back. */
  get original(): string | undefined {
    return this.#asks?.original;
  }

  /**
   * The sum that a reversal or card refund gives back, in major units. Undefined if a reversal gives back the whole
   * remaining amount.
   */
  get givesBack(): number | undefined {
    return this.kind === 'reversal' || this.kind === 'cardRefund' ? this.#asks?.amount : undefined;
  }

  /**
   * The purpose of a request that belongs to an API other than the payments API; undefined for a request of the
   * payments API.
   */
  get dialectKind(): DialectRequestMeaning['kind'] | undefined {
    return this.#asks?.kind;
  }

  /** Whether the request is written for an API other than the payments API. */
  get isOfDialect(): boolean {
    return this.#asks !== undefined;
  }

  /** The body, which is parsed anew at each call. */
  get body(): unknown {
    return this.received.data.body;
  }

  /** The point of sale's name for the sale, shortened if it is very long. */
  get reference(): string | undefined {
    if (this.#reference === undefined) {
      const { saleReferenceId } = asRecord(this.kind === 'payment' && asRecord(this.body).saleData);
      this.#reference = typeof saleReferenceId === 'string' ? shortenName(saleReferenceId) : null;
    }
    return this.#reference ?? undefined;
  }

  /** Notes the reference that the gateway has read from the body, so that the body need not be parsed for it again. */
  noteReference(reference: string | undefined): void {
    this.#reference = reference === undefined ? null : shortenName(reference);
    this.#saleName = undefined;
  }

  /**
   * The name by which the sale of a payment is found, if the payment has a reference. The text is made only once, so
   * that the engine computes its hash only once.
   */
  get saleName(): string | undefined {
    if (this.kind !== 'payment' || this.reference === undefined) return undefined;
    this.#saleName ??= `r\n${this.accountId}\n${this.reference}`;
    return this.#saleName;
  }

  /** The key or transaction in the request, if the request asks about a payment or aborts a payment. */
  get named(): { readonly idempotencyKey?: unknown; readonly transactionId?: unknown } {
    if (this.#asks) return { idempotencyKey: this.#asks.key };
    return this.kind === 'abort' ? asRecord(this.body) : Object.fromEntries(this.query);
  }

  /** The key of the payment that the request starts, asks about or aborts, if the request contains the key. */
  get paymentKey(): string | undefined {
    if (this.kind === 'payment') return this.key;
    const { idempotencyKey } = this.named;
    return typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
  }
}
