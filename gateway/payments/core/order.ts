import type { PaymentRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import type { Account } from '../../accounts/schemas.ts';
import type { Caller } from '../../http/endpoint.ts';
import type { ErrorCode } from '../../http/errors.ts';
import type { PaymentKind } from '../../store/rows/payments.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { OriginalPayment, OriginalReference } from './giving-back.ts';
import { couldTipExceedLimit } from './tip-limit.ts';

/** A payment, reversal or refund that a POS has ordered, in a form that is the same for every API. */
export interface PaymentOrder {
  /** For a reversal, the payment that it reverses. */
  readonly original?: OriginalPayment;
  /** The requested amount in minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The tips from which the shopper can choose at the terminal. */
  readonly tips: SaleToPoiData['gratuity'];
  /**
   * The conditions of the payment, in nexo's form: which cards the terminal accepts, how it reads them, and the
   * language of its screens.
   */
  readonly conditions: PaymentRequest['PaymentTransaction']['TransactionConditions'];
  /** The sale to which the payment belongs. Payments with the same reference belong to the same sale. */
  readonly saleReference: string | undefined;
  /** The reference that is printed on the receipt, if it differs from the sale's reference. */
  readonly printedReference?: string;
}

/** A POS's request in a form that is the same for every API. */
export type OrderRequest = RequestParts & OrderReader;

interface RequestParts {
  readonly caller: Caller;
  readonly terminalId: string;
  readonly requestId: string;
  readonly unknownFields: readonly string[];
  readonly key: IdempotencyKeyAndFingerprint | undefined;
  /**
   * The name of the other vendor's API (dialect) that received the request, and the JSON data that the answer repeats;
   * undefined for the native API.
   */
  readonly dialect?: { readonly name: string; readonly data: string };
  /** Whether the request is refused at once if the terminal is not connected. */
  readonly needsLink?: true;
}

/**
 * Makes the order (amount, currency, tips and so on) from a request. `read` is called when it is the payment's turn. It
 * gets the account's present settings and, for a reversal, the present state of the original payment. `read` throws
 * ApiError invalidAmount, or another ApiError if the order is impossible.
 */
export type OrderReader =
  | { readonly kind: Exclude<PaymentKind, 'reversal'>; read(account: Account): PaymentOrder }
  | {
      readonly kind: 'reversal';
      readonly reverses: OriginalReference;
      read(account: Account, original: OriginalPayment): PaymentOrder;
    };

/**
 * A request's key, and the `fingerprint` of the request. Two requests may share a key only if their fingerprints are
 * equal.
 */
export interface IdempotencyKeyAndFingerprint {
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * Gives the reason why a terminal cannot carry out a request; undefined if the terminal can do so. These checks come
 * after the check for a repeated request (B116).
 */
export function findOrderRefusal(
  order: PaymentOrder,
  terminal: Terminal,
  account: Account,
): ErrorCode | undefined {
  if (terminal.payoutAccount === null) return 'payoutAccountMissing';
  // The limit was checked when the original payment was made. There is no limit for money that is given back.
  if (order.original) return undefined;
  if (order.amount > account.transactionLimit) return 'amountExceedsTransactionLimit';
  if (couldTipExceedLimit(order.amount, order.tips)) return 'gratuityExceedsTransactionLimit';
  return undefined;
}
