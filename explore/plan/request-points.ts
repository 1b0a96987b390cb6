import type { RequestKind } from '../../shared/sales/request-kind.ts';

/** A request of a point of sale as faults name and select it. */
interface RequestPoint {
  readonly kind: RequestKind;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As `POST /control/faults` takes it. */
  readonly path: string;
  /** It moves money or stops a payment; the others only ask. */
  readonly acts: boolean;
  /** Sent twice it is done once: by its key, or because it can be done only once. Others are done twice (B61). */
  readonly repeatable: boolean;
}

/** The requests at which something can go wrong, by the name that they have in a schedule. */
export const requestPoints: Readonly<Record<string, RequestPoint>> = {
  'payment-request': acting('payment', 'POST', '/terminals/{terminalId}/payment-request'),
  status: asking('status', '/payment-requests/status'),
  latest: asking('latest', '/terminals/{terminalId}/payment-request'),
  abort: acting('abort', 'POST', '/payment-requests/abort'),
  'abort-latest': acting('abortLatest', 'POST', '/terminals/{terminalId}/payment-request/abort'),
  charge: addingUp('charge', 'POST', '/contact/{contact_id}/creditCards/{credit_card_id}/charge'),
  preauthorize: addingUp(
    'preauthorize',
    'POST',
    '/contact/{contact_id}/creditCards/{credit_card_id}/preauthorize',
  ),
  capture: acting('capture', 'POST', '/debit/{debit_id}/capture'),
  refund: addingUp('refund', 'POST', '/debit/{debit_id}/refunds'),
  'refund-list': asking('refunds', '/debit/{debit_id}/refunds'),
  'payment-link': acting('credit', 'PUT', '/credit'),
};

function acting(kind: RequestKind, method: RequestPoint['method'], path: string): RequestPoint {
  return { kind, method, path, acts: true, repeatable: true };
}

function addingUp(...of: Parameters<typeof acting>): RequestPoint {
  return { ...acting(...of), repeatable: false };
}

function asking(kind: RequestKind, path: string): RequestPoint {
  return { kind, method: 'GET', path, acts: false, repeatable: true };
}

const byKind = new Map(Object.entries(requestPoints).map(([name, { kind }]) => [kind, name]));

/** The name of a request's point; undefined if nothing can go wrong there, such as the list of terminals. */
export function requestPointOf(kind: RequestKind): string | undefined {
  return byKind.get(kind);
}
