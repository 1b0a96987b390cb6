/** A kind of request of a point of sale. A fault is set for one of these kinds. */
interface RequestPoint {
  readonly method: 'GET' | 'POST' | 'PUT';
  /**
   * The path, as it is written in the body of `POST /control/faults`. It is absent for requests of Adyen's API, which
   * have `adyenMessage` instead.
   */
  readonly path?: string;
  readonly adyenMessage?: 'payment' | 'reversal' | 'refund' | 'status' | 'abort';
  /** Whether the request moves money or stops a payment. Other requests only read. */
  readonly acts: boolean;
  /**
   * Whether the gateway executes the request only once if the request comes twice. Either the request has a key, or its
   * effect cannot happen a second time (B61).
   */
  readonly repeatable: boolean;
}

/** All requests of the payments API at which a fault can happen, by their name in a schedule. */
export const requestPoints: Readonly<Record<string, RequestPoint>> = {
  terminals: reading('/terminals'),
  'payment-request': actingOnce('POST', '/terminals/{terminalId}/payment-request'),
  status: reading('/payment-requests/status'),
  latest: reading('/terminals/{terminalId}/payment-request'),
  abort: actingOnce('POST', '/payment-requests/abort'),
  'abort-latest': actingOnce('POST', '/terminals/{terminalId}/payment-request/abort'),
  charge: actingEachTime('POST', '/contact/{contact_id}/creditCards/{credit_card_id}/charge'),
  preauthorize: actingEachTime('POST', '/contact/{contact_id}/creditCards/{credit_card_id}/preauthorize'),
  capture: actingOnce('POST', '/debit/{debit_id}/capture'),
  refund: actingEachTime('POST', '/debit/{debit_id}/refunds'),
  'refund-list': reading('/debit/{debit_id}/refunds'),
  'payment-link': actingOnce('PUT', '/credit'),
  'adyen-payment': { method: 'POST', adyenMessage: 'payment', acts: true, repeatable: true },
  'adyen-reversal': { method: 'POST', adyenMessage: 'reversal', acts: true, repeatable: true },
  'adyen-refund': { method: 'POST', adyenMessage: 'refund', acts: true, repeatable: true },
  'adyen-status': { method: 'POST', adyenMessage: 'status', acts: false, repeatable: true },
  'adyen-abort': { method: 'POST', adyenMessage: 'abort', acts: true, repeatable: true },
};

/** Describes a request in words: `POST /credit`, or `Adyen's payment message`. */
export function describeRequestPoint({
  method,
  path,
  adyenMessage,
}: Pick<RequestPoint, 'method' | 'path' | 'adyenMessage'>): string {
  return path === undefined ? `Adyen's ${adyenMessage} message` : `\`${method} ${path}\``;
}

function actingOnce(method: RequestPoint['method'], path: string): RequestPoint {
  return { method, path, acts: true, repeatable: true };
}

function actingEachTime(...of: Parameters<typeof actingOnce>): RequestPoint {
  return { ...actingOnce(...of), repeatable: false };
}

function reading(path: string): RequestPoint {
  return { method: 'GET', path, acts: false, repeatable: true };
}

const patterns = Object.entries(requestPoints).flatMap(([name, { method, path }]) =>
  path === undefined ? [] : [{ name, method, path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }],
);

/**
 * Returns the name that schedules use for a request; undefined if no fault can happen at the request. `path` has no
 * query.
 */
export function requestPointName(method: string, path: string, adyenMessage?: string): string | undefined {
  if (adyenMessage !== undefined) {
    const name = `adyen-${adyenMessage}`;
    return Object.hasOwn(requestPoints, name) ? name : undefined;
  }
  return patterns.find((point) => point.method === method && point.path.test(path))?.name;
}
