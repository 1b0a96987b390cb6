import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';

/** Every error of the API: its code, its status and its default message. */
export const errorTable = {
  unauthorized: { status: 401, message: 'A valid API token is required: Authorization: Bearer <token>' },
  routeNotFound: { status: 404, message: 'This route does not exist' },
  methodNotAllowed: { status: 405, message: 'This route does not support the method' },
  notImplemented: { status: 501, message: 'Terminal payments are not available in production' },
  unsupportedMediaType: { status: 415, message: 'Send the body as application/json' },
  payloadTooLarge: { status: 413, message: 'The body is larger than 100 kB' },
  requestTimeout: { status: 408, message: 'The request did not arrive in time' },
  headersTooLarge: { status: 431, message: 'The headers are larger than 16 kB' },
  invalidJson: { status: 400, message: 'The body is not JSON' },
  invalidRequest: { status: 400, message: 'The request is not valid' },
  invalidAmount: { status: 400, message: 'The amount is not valid' },
  notFound: { status: 404, message: 'Not found' },
  terminalNotFound: { status: 404, message: 'The terminal does not exist' },
  idempotencyKeyReused: {
    status: 422,
    message: 'An earlier request with this Idempotency-Key had another body or another terminal',
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
    message: 'The terminal did not answer; it will receive the abort when it reconnects',
  },
  originalNotFound: { status: 404, message: 'The payment to reverse does not exist' },
  originalNotReversible: { status: 409, message: 'Nothing of this payment can be given back' },
  alreadyGivenBack: { status: 409, message: 'The whole payment was given back already' },
  amountExceedsRest: {
    status: 422,
    message: 'The amount is larger than the amount that can still be given back',
  },
  currencyMismatch: { status: 422, message: 'The payment was made in another currency' },
  olderGateway: {
    status: 409,
    message:
      'A gateway of an older release uses the same database, but does not support refunds: stop that gateway first',
  },
  cardOnFileNotEnabled: {
    status: 403,
    message: 'Charging and preauthorizing saved cards is not enabled for this account; contact support',
  },
  contactNotFound: { status: 404, message: 'The contact does not exist' },
  creditCardNotFound: { status: 404, message: 'The contact does not have this credit card' },
  bankAccountNotFound: { status: 404, message: 'The bank account does not exist' },
  debitNotFound: { status: 404, message: 'The debit does not exist' },
  controlTokenNeeded: {
    status: 403,
    message:
      'This call affects the whole gateway, not only one account. It needs the control token, which a console does not have',
  },
  cardDeclined: { status: 402, message: 'The card was declined' },
  debitNotCapturable: { status: 409, message: 'The debit cannot be captured' },
  debitNotRefundable: { status: 409, message: 'The debit cannot be refunded now' },
  refundExceedsRefundableAmount: {
    status: 422,
    message: 'The amount exceeds the refundable amount',
  },
  debitNotPaidByCreditCard: {
    status: 422,
    message: 'Only debits of saved credit cards can be refunded',
  },
  securityQuestionMissing: {
    status: 409,
    message: 'The account has no security question for its payment links',
  },
  conflict: { status: 409, message: 'The request is not possible in the present state' },
  rateLimited: { status: 429, message: 'Too many requests' },
  unavailable: { status: 503, message: 'The gateway is temporarily unavailable; try again' },
  internalError: { status: 500, message: "Internal error; see the gateway's log for this Request-Id" },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

/**
 * One fault in one field. `path` contains dots and indices, for example gratuity.options.0.value. If the whole request
 * is at fault, for example because its body is missing, the path is empty.
 */
interface FieldFault {
  path: string;
  message: string;
}

interface SaleCandidate {
  saleId: string;
  accountId: string | null;
  saleReferenceId: string | null;
  idempotencyKey: string | null;
  startedAt: string;
}

/** The fields of an error besides its code and message. */
interface ErrorFields {
  /** The reason for a cardDeclined error (B77). */
  declineCode?: string;
  /** The debit that was declined (error cardDeclined). The debit is stored as failed. */
  debit_id?: string;
  /** The sales that match (error conflict). One sale was requested, but several sales match. */
  candidates?: readonly SaleCandidate[];
}

/** An error that any code below a route may throw. The error handler turns the error into the answer (B114). */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly FieldFault[] | undefined;
  readonly headers: Record<string, string>;
  readonly fields: ErrorFields | undefined;

  constructor(
    code: ErrorCode,
    more: {
      message?: string;
      details?: readonly FieldFault[];
      headers?: Record<string, string>;
      fields?: ErrorFields;
    } = {},
  ) {
    super(more.message ?? errorTable[code].message);
    this.code = code;
    this.details =
      more.details ?? (code === 'invalidRequest' ? [{ path: '', message: this.message }] : undefined);
    this.headers = more.headers ?? {};
    this.fields = more.fields;
  }

  /** The body of the answer (B114). Card numbers are masked in the parts that repeat a request (B126). */
  get envelope(): object {
    return {
      error: this.code,
      message: maskCardNumbers(this.message),
      ...this.fields,
      ...(this.details && { details: this.details.map(withoutCardNumbers) }),
    };
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

function withoutCardNumbers({ path, message }: FieldFault): FieldFault {
  return { path: maskCardNumbers(path), message: maskCardNumbers(message) };
}
