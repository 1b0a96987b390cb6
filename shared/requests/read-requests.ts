import type { JournalEntry } from '../journal.ts';
import { asRecord } from '../journal-fields.ts';
import { originForm, splitTarget } from '../request-target.ts';
import { type RequestKind, requestKindOf } from './request-kind.ts';

export type { RequestKind } from './request-kind.ts';

/** One request of the point of sale as the journal shows it, with what became of it. */
export interface PosRequest {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Idempotency-Key, where one was sent. */
  readonly key: string | undefined;
  readonly prefer: string | undefined;
  readonly received: JournalEntry<'http.received'>;
  answered?: JournalEntry<'http.answered'>;
  /** The client hung up, or a fault that a test set broke the connection: there was no answer. */
  hungUp?: JournalEntry<'http.hungUp'> | JournalEntry<'fault.injected'>;
  /** The payment, debit or credit it is about, where the journal shows it. */
  payment?: string;
}

/** The requests of the point of sale in a journal, in the order they came. */
export function readRequests(entries: readonly JournalEntry[]): PosRequest[] {
  const requests = new Map<string, PosRequest>();
  const paymentOfKey = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === 'http.received') {
      const request = readRequest(entry);
      if (request) requests.set(request.requestId, request);
    } else if (entry.kind === 'http.answered') {
      const request = requests.get(entry.data.requestId);
      if (request) request.answered = entry;
    } else if (entry.kind === 'http.hungUp' || isBreak(entry)) {
      const request = requests.get(entry.data.requestId);
      if (request) request.hungUp = entry;
    } else if (entry.kind === 'payment.accepted' && entry.payment !== undefined) {
      const request = requests.get(entry.data.requestId);
      if (request) request.payment = entry.payment;
      if (entry.data.idempotencyKey !== undefined) paymentOfKey.set(entry.data.idempotencyKey, entry.payment);
    } else if (entry.kind === 'credit.changed' && entry.data.state === 'initiated') {
      // Its answer, which has the link, is in no journal.
      const request = [...requests.values()].find(
        ({ kind, answered, payment }) => kind === 'credit' && !answered && payment === undefined,
      );
      if (request && entry.payment !== undefined) request.payment = entry.payment;
    }
  }
  for (const request of requests.values()) {
    const payment = request.payment ?? paymentOf(request, paymentOfKey);
    if (payment !== undefined) request.payment = payment;
  }
  return [...requests.values()];
}

function isBreak(entry: JournalEntry): entry is JournalEntry<'fault.injected'> {
  return entry.kind === 'fault.injected' && entry.data.fault.startsWith('drop');
}

function readRequest(received: JournalEntry<'http.received'>): PosRequest | undefined {
  const { method, path: target, requestId, headers, body } = received.data;
  const [path, query] = splitTarget(originForm(target) ?? target);
  const kind = requestKindOf(method, path);
  if (!kind) return undefined;
  return {
    requestId,
    kind,
    method,
    path,
    query: new URLSearchParams(query),
    body,
    key: headers?.['idempotency-key'],
    prefer: headers?.prefer,
    received,
  };
}

function paymentOf(request: PosRequest, paymentOfKey: ReadonlyMap<string, string>): string | undefined {
  const { identifier, debit_id } = asRecord(request.answered?.data.body);
  const id = identifier ?? debit_id;
  if (typeof id === 'string') return id;
  const named = request.kind === 'abort' ? asRecord(request.body) : Object.fromEntries(request.query);
  if (typeof named.transactionId === 'string') return named.transactionId;
  const key = request.kind === 'payment' ? request.key : named.idempotencyKey;
  if (typeof key === 'string') return paymentOfKey.get(key);
  return /^\/debit\/([^/]+)\//.exec(request.path)?.[1];
}
