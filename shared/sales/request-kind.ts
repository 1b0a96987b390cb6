import type { DialectRequestMeaning } from '../dialect-meaning.ts';

/** The purposes that a request can have, in the payments API or in another API for terminals. */
export const requestKinds = [
  'payment',
  'status',
  'latest',
  'abort',
  'abortLatest',
  'charge',
  'preauthorize',
  'capture',
  'refunds',
  'refund',
  'credit',
  'reversal',
  'cardRefund',
  'other',
] as const;
export type RequestKind = (typeof requestKinds)[number];

const routes: readonly [RequestKind, string, RegExp][] = [
  ['payment', 'POST', /^\/terminals\/[^/]+\/payment-request$/],
  ['latest', 'GET', /^\/terminals\/[^/]+\/payment-request$/],
  ['abortLatest', 'POST', /^\/terminals\/[^/]+\/payment-request\/abort$/],
  ['status', 'GET', /^\/payment-requests\/status$/],
  ['abort', 'POST', /^\/payment-requests\/abort$/],
  ['charge', 'POST', /^\/contact\/[^/]+\/creditCards\/[^/]+\/charge$/],
  ['preauthorize', 'POST', /^\/contact\/[^/]+\/creditCards\/[^/]+\/preauthorize$/],
  ['capture', 'POST', /^\/debit\/[^/]+\/capture$/],
  ['refund', 'POST', /^\/debit\/[^/]+\/refunds$/],
  ['refunds', 'GET', /^\/debit\/[^/]+\/refunds$/],
  ['credit', 'PUT', /^\/credit$/],
];

/** Operators, tests and customers' browsers use these paths. No point of sale uses them. */
const notThePos = /^\/(control|console|pay|docs|openapi\.json|health|beliefs)(\/|$)/;

/**
 * Returns the purpose of a request, from its method and its path without the query. Returns undefined if no point of
 * sale sends requests to this path.
 */
export function requestKindOf(method: string, path: string): RequestKind | undefined {
  if (notThePos.test(path)) return undefined;
  return routes.find(([, verb, pattern]) => verb === method && pattern.test(path))?.[0] ?? 'other';
}

/** The purpose of a request that belongs to an API other than the payments API. */
export function dialectRequestKindOf({ kind }: Pick<DialectRequestMeaning, 'kind'>): RequestKind {
  return kind === 'refund' ? 'cardRefund' : kind;
}

/** Whether a request starts a payment, a reversal or a refund at a terminal. */
export function beginsAtTerminal(kind: RequestKind): kind is 'payment' | 'reversal' | 'cardRefund' {
  return kind === 'payment' || kind === 'reversal' || kind === 'cardRefund';
}

/**
 * Returns the second part of a path, which identifies a terminal, a debit or another resource: `t1` in
 * `/terminals/t1/payment-request`.
 */
export function resourceIdIn(path: string): string | undefined {
  return path.split('/')[2];
}
