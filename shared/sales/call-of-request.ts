import type { DialectRequestMeaning } from '../dialect-meaning.ts';
import type { JournalEntry } from '../journal.ts';
import { asRecord, asText } from '../journal-fields.ts';
import { splitTarget, toOriginForm } from '../request-target.ts';
import { dialectRequestKindOf, type RequestKind, requestKindOf, resourceIdIn } from './request-kind.ts';
import type { CallRecord } from './sale-record.ts';

type RequestEntry = JournalEntry<'http.received'>;

/** The fields of a request that say which sale the request belongs to. Each API writes them in its own way. */
interface RequestFields extends Pick<CallRecord, 'key' | 'terminal' | 'amount' | 'original' | 'payment'> {
  /** The name that the point of sale gave the sale. */
  readonly reference?: string;
}

/** Whether the operator sent the request, over the control API. */
export function isOperatorRequest(entry: RequestEntry): boolean {
  return targetOf(entry)[0].startsWith('/control/');
}

/**
 * Makes a call from the journal entry of a request. Also returns the reference of the call's sale. Returns undefined if
 * the request has no API token or is not about a sale.
 */
export function readCall(entry: RequestEntry): { call: CallRecord; reference?: string } | undefined {
  const { accountId, method, requestId, asks } = entry.data;
  const [path, query] = targetOf(entry);
  if (accountId === undefined) return undefined;
  const kind = asks ? dialectRequestKindOf(asks) : requestKindOf(method, path);
  if (kind === undefined || kind === 'other') return undefined;
  const { reference, ...fields } = asks
    ? fieldsOfDialect(asks)
    : fieldsOfPaymentsApi(kind, path, query, entry.data);
  const call: CallRecord = {
    requestId,
    kind,
    method,
    path,
    at: entry.at,
    accountId,
    ...fields,
    gateway: entry.gateway,
    end: 'open',
    telling: [],
    told: false,
  };
  return { call, reference };
}

function targetOf({ data: { path } }: RequestEntry): [path: string, query: string] {
  return splitTarget(toOriginForm(path) ?? path);
}

function fieldsOfDialect({
  key,
  terminal,
  amount,
  original,
  reference,
}: DialectRequestMeaning): RequestFields {
  return { key, terminal, amount, original, reference };
}

function fieldsOfPaymentsApi(
  kind: RequestKind,
  path: string,
  query: string,
  { headers, body }: Pick<RequestEntry['data'], 'headers' | 'body'>,
): RequestFields {
  const fields = kind === 'status' ? Object.fromEntries(new URLSearchParams(query)) : asRecord(body);
  const isAboutDebit = kind === 'capture' || kind === 'refund' || kind === 'refunds';
  return {
    key: keyIn(kind, headers, fields),
    terminal: resourceIdIn(path),
    amount: amountIn(kind, fields),
    payment: isAboutDebit ? resourceIdIn(path) : asText(fields.transactionId),
    reference: asText(asRecord(fields.saleData).saleReferenceId),
  };
}

function keyIn(
  kind: RequestKind,
  headers: Record<string, string> | undefined,
  fields: Record<string, unknown>,
): string | undefined {
  if (kind === 'payment') return headers?.['idempotency-key'];
  return kind === 'status' || kind === 'abort' ? asText(fields.idempotencyKey) : undefined;
}

const kindsWithPlainAmount: ReadonlySet<RequestKind> = new Set([
  'charge',
  'preauthorize',
  'refund',
  'credit',
]);

function amountIn(kind: RequestKind, fields: Record<string, unknown>): number | undefined {
  if (kind === 'payment')
    return asNumber(asRecord(asRecord(fields.paymentTransaction).amountsReq).requestedAmount);
  return kindsWithPlainAmount.has(kind) ? asNumber(fields.amount) : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
