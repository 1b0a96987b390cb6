/** A kind of request of a point of sale. A fault is set for one of these kinds. */
interface RequestPoint {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path as `POST /control/faults` takes it. Requests of Adyen's API have none: `asks` distinguishes them. */
  readonly path?: string;
  readonly asks?: 'payment' | 'reversal' | 'refund' | 'status' | 'abort';
  /** Whether the request moves money or stops a payment. Other requests only read. */
  readonly acts: boolean;
  /**
   * Whether the gateway executes the request only once if it comes twice: because of its key, or because its effect is
   * possible only once (B61).
   */
  readonly repeatable: boolean;
}

/** All requests of the payments API at which a fault can happen, by their name in a schedule. */
export const requestPoints: Readonly<Record<string, RequestPoint>> = {
  terminals: asking('/terminals'),
  'payment-request': acting('POST', '/terminals/{terminalId}/payment-request'),
  status: asking('/payment-requests/status'),
  latest: asking('/terminals/{terminalId}/payment-request'),
  abort: acting('POST', '/payment-requests/abort'),
  'abort-latest': acting('POST', '/terminals/{terminalId}/payment-request/abort'),
  charge: addingUp('POST', '/contact/{contact_id}/creditCards/{credit_card_id}/charge'),
  preauthorize: addingUp('POST', '/contact/{contact_id}/creditCards/{credit_card_id}/preauthorize'),
  capture: acting('POST', '/debit/{debit_id}/capture'),
  refund: addingUp('POST', '/debit/{debit_id}/refunds'),
  'refund-list': asking('/debit/{debit_id}/refunds'),
  'payment-link': acting('PUT', '/credit'),
  'adyen-payment': { method: 'POST', asks: 'payment', acts: true, repeatable: true },
  'adyen-reversal': { method: 'POST', asks: 'reversal', acts: true, repeatable: true },
  'adyen-refund': { method: 'POST', asks: 'refund', acts: true, repeatable: true },
  'adyen-status': { method: 'POST', asks: 'status', acts: false, repeatable: true },
  'adyen-abort': { method: 'POST', asks: 'abort', acts: true, repeatable: true },
};

/** Describes a request in words: `POST /credit`, or `Adyen's payment message`. */
export function pointText({ method, path, asks }: Pick<RequestPoint, 'method' | 'path' | 'asks'>): string {
  return path === undefined ? `Adyen's ${asks} message` : `\`${method} ${path}\``;
}

function acting(method: RequestPoint['method'], path: string): RequestPoint {
  return { method, path, acts: true, repeatable: true };
}

function addingUp(...of: Parameters<typeof acting>): RequestPoint {
  return { ...acting(...of), repeatable: false };
}

function asking(path: string): RequestPoint {
  return { method: 'GET', path, acts: false, repeatable: true };
}

const patterns = Object.entries(requestPoints).flatMap(([name, { method, path }]) =>
  path === undefined ? [] : [{ name, method, path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }],
);

/**
 * Returns the name under which schedules know a request; undefined if no fault can happen at it. The path has no query.
 */
export function requestPointOf(method: string, path: string, asks?: string): string | undefined {
  if (asks !== undefined) return Object.hasOwn(requestPoints, `adyen-${asks}`) ? `adyen-${asks}` : undefined;
  return patterns.find((point) => point.method === method && point.path.test(path))?.name;
}
