import type { Asks } from '../asks.ts';
import type { JournalEntry } from '../journal.ts';
import { asRecord } from '../journal-fields.ts';
import { originForm, splitTarget } from '../request-target.ts';
import {
  beginsAtTerminal,
  kindAsked,
  namedIn,
  type RequestKind,
  requestKindOf,
} from '../sales/request-kind.ts';

import { glanceAt } from './glance-at.ts';

import { shortName } from './short-name.ts';

type Received = JournalEntry<'http.received'>;
type Answered = JournalEntry<'http.answered'>;
/** The client hung up, or a fault that a test set broke the connection. */
type Broken = JournalEntry<'http.hungUp'> | JournalEntry<'http.sent'> | JournalEntry<'fault.injected'>;

/** What an entry of its own says of a request. */
type RequestNote = JournalEntry<'request.unknownField'> | JournalEntry<'request.cardNumber'>;

/** What is asked of every request that comes. */
const told = ['requestId', 'method', 'path', 'accountId', 'copyOf', 'headers', 'asks'] as const;
const toldHeaders = ['idempotency-key', 'prefer'] as const;

/** One request of the point of sale as the journal shows it, with what became of it. */
export class PosRequest {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Idempotency-Key, where one was sent; of another API, what stands in its place. */
  readonly key: string | undefined;
  readonly prefer: string | undefined;
  readonly accountId: string | undefined;
  readonly received: Received;
  /** It came whole, as far as the journal shows. */
  answered: Answered | undefined;
  /** Of that answer; of another API, with which the payments API says the same. */
  status: number | undefined;
  /** How another API says it. */
  as: string | undefined;
  /** It refuses the key, which came before with another body; that the payments API says in its answer. */
  reusesKey = false;
  /** There was no answer, or only a part of it. */
  hungUp: Broken | undefined;
  /** The payment, debit or credit it is about, where the journal shows it. */
  payment: string | undefined;
  readonly notes: RequestNote[] = [];
  readonly #asks: Asks | undefined;
  #queryText: string;
  #reference: string | null | undefined;
  #saleName: string | undefined;

  private constructor(
    received: Received,
    data: Pick<Received['data'], (typeof told)[number]>,
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

  /** Undefined of what is no request of a point of sale. */
  static of(received: Received): PosRequest | undefined {
    const data = glanceAt(received, told, toldHeaders);
    const { method, path: target, copyOf, asks } = data;
    if (copyOf !== undefined) return undefined;
    const [path, query] = splitTarget(originForm(target) ?? target);
    const kind = asks ? kindAsked(asks) : requestKindOf(method, path);
    return kind && new PosRequest(received, data, kind, path, query);
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#queryText);
  }

  /** What a person knows its payment by: the key, or what another API has in its place. */
  get keyText(): string {
    const { key, id } = this.#asks ?? { key: this.key, id: undefined };
    if (id !== undefined) return `the ServiceID ${id}`;
    return key === undefined ? 'no key' : `the key ${key}`;
  }

  /** The terminal that it names, as the gateway identifies it where it can. */
  get terminal(): string | undefined {
    return this.#asks ? this.#asks.terminal : namedIn(this.path);
  }

  /** Of a reversal: what the host called the payment that it gives back. */
  get original(): string | undefined {
    return this.#asks?.original;
  }

  /** Of a reversal or card refund, in major units; undefined for all that is left. */
  get givesBack(): number | undefined {
    return this.kind === 'reversal' || this.kind === 'cardRefund' ? this.#asks?.amount : undefined;
  }

  /** What it asks for in another API; undefined where it is one of the payments API. */
  get dialectKind(): Asks['kind'] | undefined {
    return this.#asks?.kind;
  }

  /** It is written as another API than the payments API wants it. */
  get isOfDialect(): boolean {
    return this.#asks !== undefined;
  }

  /** Parsed anew each time. */
  get body(): unknown {
    return this.received.data.body;
  }

  /** What the point of sale calls the sale, shortened where it is very long. */
  get reference(): string | undefined {
    if (this.#reference === undefined) {
      const { saleReferenceId } = asRecord(this.kind === 'payment' && asRecord(this.body).saleData);
      this.#reference = typeof saleReferenceId === 'string' ? shortName(saleReferenceId) : null;
    }
    return this.#reference ?? undefined;
  }

  /** As the gateway read it, so that the body need not be read again. */
  noteReference(reference: string | undefined): void {
    this.#reference = reference === undefined ? null : shortName(reference);
    this.#saleName = undefined;
  }

  /** Of a payment with a reference: what its sale is looked up by, made once, so that its hash is too. */
  get saleName(): string | undefined {
    if (this.kind !== 'payment' || this.reference === undefined) return undefined;
    this.#saleName ??= `r\n${this.accountId}\n${this.reference}`;
    return this.#saleName;
  }

  /** The key or the transaction that it names, where it asks for a payment or aborts one. */
  get named(): { readonly idempotencyKey?: unknown; readonly transactionId?: unknown } {
    if (this.#asks) return { idempotencyKey: this.#asks.key };
    return this.kind === 'abort' ? asRecord(this.body) : Object.fromEntries(this.query);
  }
}
