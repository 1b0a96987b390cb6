import type { PaymentRequest } from '../../../shared/nexo/bodies.ts';
import type { SaleToPoiData } from '../../../shared/nexo/sale-to-poi-data.ts';
import type { Account } from '../../accounts/schemas.ts';
import type { Caller } from '../../http/endpoint.ts';
import type { ErrorCode } from '../../http/errors.ts';
import type { PaymentKind } from '../../store/rows/payments.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { Original, OriginalReference } from './giving-back.ts';
import { tipCouldExceed } from './tip-limit.ts';

/** An order of a point of sale to take money or to give some back, whatever API it came through. */
export interface PaymentOrder {
  /** For a reversal: the payment whose money it gives back. */
  readonly original?: Original;
  /** The requested amount in minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The tips that the terminal offers. */
  readonly tips: SaleToPoiData['gratuity'];
  /** Which cards the terminal accepts, in which ways, and the language of its screens, in nexo's form. */
  readonly conditions: PaymentRequest['PaymentTransaction']['TransactionConditions'];
  /** Names the sale: payments with the same reference belong to one sale. */
  readonly saleReference: string | undefined;
  /** The reference on the receipt, if it is not the sale's name. */
  readonly printedReference?: string;
}

/** A request to carry out an order, as the API through which it came reads it. */
export type OrderRequest = RequestParts & OrderReader;

interface RequestParts {
  readonly caller: Caller;
  readonly terminalId: string;
  readonly requestId: string;
  readonly unknownFields: readonly string[];
  readonly key: IdempotencyKey | undefined;
  /** The name of the request's dialect, and the JSON that its answers repeat; undefined for the payments API. */
  readonly dialect?: { readonly name: string; readonly data: string };
  /** Whether the request is refused at once if the terminal has no link. */
  readonly needsLink?: true;
}

/**
 * An order that is read later, with the account's settings and the original payment as they are at that moment. `read`
 * throws ApiError invalidAmount, or another ApiError if the order is impossible.
 */
export type OrderReader =
  | { readonly kind: Exclude<PaymentKind, 'reversal'>; read(account: Account): PaymentOrder }
  | {
      readonly kind: 'reversal';
      readonly reverses: OriginalReference;
      read(account: Account, original: Original): PaymentOrder;
    };

/** A key with the `fingerprint` of its request, which is the same for two requests that may share the key. */
export interface IdempotencyKey {
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * Gives the reason why a terminal cannot carry out an order, by the checks that come after the check for a repeated
 * request (B116).
 */
export function refusalOf(order: PaymentOrder, terminal: Terminal, account: Account): ErrorCode | undefined {
  if (terminal.payoutAccount === null) return 'payoutAccountMissing';
  if (order.original) return undefined; // the payment was within the limit when it was taken
  if (order.amount > account.transactionLimit) return 'amountExceedsTransactionLimit';
  if (tipCouldExceed(order.amount, order.tips)) return 'gratuityExceedsTransactionLimit';
  return undefined;
}
