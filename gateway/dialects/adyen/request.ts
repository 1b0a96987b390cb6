import type { Account } from '../../accounts/schemas.ts';
import type { OrderReader } from '../../payments/core/order.ts';
import { readAcquirerData } from './acquirer-data.ts';
import { checkMessageBody } from './check-message-body.ts';
import {
  type Message,
  type PaymentRequest,
  paymentRequestSchema,
  type ReversalRequest,
  reversalRequestSchema,
} from './message.ts';
import {
  isUnreferencedRefund,
  readOriginalReference,
  readPaymentOrder,
  readReversalCurrency,
  readReversalOrder,
  refuseUnsupportedParts,
} from './order.ts';
import type { EchoedRequestParts } from './payment-response.ts';

/**
 * A request for a payment, a reversal or a refund. It has the parts that the answers repeat, and `order`, whose
 * function `read` makes the gateway's `PaymentOrder`.
 */
interface Requested {
  readonly repeated: EchoedRequestParts;
  readonly order: OrderReader;
  /** @throws MessageRefusedError if the request needs something that is not emulated */
  check(): void;
}

/** Reads a message as a request. If the message is not a valid request, gives the response that names the fault. */
export function readPaymentRequest(
  message: Message,
): Requested | Exclude<ReturnType<typeof checkMessageBody>, { body: unknown }> {
  if (message.header.MessageCategory === 'Reversal') {
    const request = checkMessageBody(reversalRequestSchema, message, 'ReversalRequest');
    return 'response' in request ? request : reversal(message, request.body);
  }
  const request = checkMessageBody(paymentRequestSchema, message, 'PaymentRequest');
  return 'response' in request ? request : payment(message, request.body);
}

function payment({ header }: Message, body: PaymentRequest): Requested {
  const refund = isUnreferencedRefund(body.PaymentData);
  return {
    repeated: { header, ...saleParts(body.SaleData), ...(refund && { paymentType: 'Refund' }) },
    order: {
      kind: refund ? 'refund' : 'payment',
      read: (account: Account) => readPaymentOrder(body, header, account),
    },
    check: () => refuseUnsupportedParts(body),
  };
}

function reversal({ header }: Message, body: ReversalRequest): Requested {
  const { OriginalPOITransaction: original, SaleData } = body;
  return {
    repeated: { header, ...saleParts(SaleData), original },
    order: {
      kind: 'reversal',
      reverses: readOriginalReference(body),
      read: (_, found) => readReversalOrder(body, header, found),
    },
    check: () => void readReversalCurrency(body),
  };
}

function saleParts(
  data: PaymentRequest['SaleData'] | undefined,
): Pick<EchoedRequestParts, 'sale' | 'metadata'> {
  if (!data) return { metadata: {} };
  const { SaleTransactionID, SaleReferenceID, SaleToAcquirerData } = data;
  return {
    sale: { SaleTransactionID, ...(SaleReferenceID !== undefined && { SaleReferenceID }) },
    metadata: readAcquirerData(SaleToAcquirerData).metadata,
  };
}
