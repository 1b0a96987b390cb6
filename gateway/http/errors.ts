/** Every error of the API: its code, status and what it tells when nothing more precise is known. */
export const errorTable = {
  unauthorized: { status: 401, message: 'A valid API token is needed: Authorization: Bearer <token>' },
  routeNotFound: { status: 404, message: 'There is no such route' },
  methodNotAllowed: { status: 405, message: 'This route does not have that method' },
  notImplemented: { status: 501, message: 'Terminal payments are not available in production' },
  unsupportedMediaType: { status: 415, message: 'Send the body as application/json' },
  payloadTooLarge: { status: 413, message: 'The body is larger than 100 kB' },
  requestTimeout: { status: 408, message: 'The request did not arrive in time' },
  headersTooLarge: { status: 431, message: 'The headers are larger than 16 kB' },
  invalidJson: { status: 400, message: 'The body is not JSON' },
  invalidRequest: { status: 400, message: 'The request is not valid' },
  invalidAmount: { status: 400, message: 'The amount is not valid' },
  notFound: { status: 404, message: 'There is no such thing' },
  terminalNotFound: { status: 404, message: 'There is no such terminal' },
  idempotencyKeyReused: {
    status: 422,
    message: 'This Idempotency-Key was used with another body or terminal',
  },
  payoutAccountMissing: { status: 409, message: 'The terminal has no payout account' },
  amountExceedsTransactionLimit: {
    status: 422,
    message: 'The amount is above the transaction limit of the account',
  },
  gratuityExceedsTransactionLimit: {
    status: 422,
    message: 'A tip option could push the total above the transaction limit of the account',
  },
  terminalUnreachable: {
    status: 504,
    message: 'The terminal did not answer; it gets the abort when it is back',
  },
  conflict: { status: 409, message: 'That is not possible now' },
  rateLimited: { status: 429, message: 'Too many requests' },
  unavailable: { status: 503, message: 'The gateway is shutting down' },
  internalError: { status: 500, message: 'The gateway failed; its log says more under this Request-Id' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

/** One fault of one field. `path` is dotted, with indices: gratuity.options.0.value */
export interface FieldFault {
  path: string;
  message: string;
}

/** Thrown anywhere below a route; the one error handler turns it into the specification's envelope (§7). */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly FieldFault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    more: { message?: string; details?: readonly FieldFault[]; headers?: Record<string, string> } = {},
  ) {
    super(more.message ?? errorTable[code].message);
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}
