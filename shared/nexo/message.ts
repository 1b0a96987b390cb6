import { z } from 'zod';
import { compileSchemaCheck } from '../compile-check.ts';
import { memoize } from '../memoize.ts';
import { acquirerRequestSchema, acquirerResponseSchema } from './acquirer.ts';
import {
  abortRequestSchema,
  diagnosisRequestSchema,
  diagnosisResponseSchema,
  displayRequestSchema,
  eventNotificationSchema,
  paymentRequestSchema,
  paymentResponseSchema,
  reversalRequestSchema,
  reversalResponseSchema,
  transactionStatusRequestSchema,
  transactionStatusResponseSchema,
} from './bodies.ts';

/** The bodies of all messages on /poi, with the class and category in their headers. */
const bodies = {
  PaymentRequest: { schema: paymentRequestSchema, class: 'Service', category: 'Payment', type: 'Request' },
  PaymentResponse: { schema: paymentResponseSchema, class: 'Service', category: 'Payment', type: 'Response' },
  ReversalRequest: { schema: reversalRequestSchema, class: 'Service', category: 'Reversal', type: 'Request' },
  ReversalResponse: {
    schema: reversalResponseSchema,
    class: 'Service',
    category: 'Reversal',
    type: 'Response',
  },
  AbortRequest: { schema: abortRequestSchema, class: 'Service', category: 'Abort', type: 'Request' },
  TransactionStatusRequest: {
    schema: transactionStatusRequestSchema,
    class: 'Service',
    category: 'TransactionStatus',
    type: 'Request',
  },
  TransactionStatusResponse: {
    schema: transactionStatusResponseSchema,
    class: 'Service',
    category: 'TransactionStatus',
    type: 'Response',
  },
  DiagnosisRequest: {
    schema: diagnosisRequestSchema,
    class: 'Service',
    category: 'Diagnosis',
    type: 'Request',
  },
  DiagnosisResponse: {
    schema: diagnosisResponseSchema,
    class: 'Service',
    category: 'Diagnosis',
    type: 'Response',
  },
  DisplayRequest: { schema: displayRequestSchema, class: 'Device', category: 'Display', type: 'Request' },
  EventNotification: {
    schema: eventNotificationSchema,
    class: 'Event',
    category: 'Event',
    type: 'Notification',
  },
  AcquirerRequest: { schema: acquirerRequestSchema, class: 'Service', category: 'Acquirer', type: 'Request' },
  AcquirerResponse: {
    schema: acquirerResponseSchema,
    class: 'Service',
    category: 'Acquirer',
    type: 'Response',
  },
} as const;

export type MessageKind = keyof typeof bodies;
export type MessageBody<K extends MessageKind> = z.infer<(typeof bodies)[K]['schema']>;

const header = z.object({
  ProtocolVersion: z.literal('3.0'),
  MessageClass: z.enum(['Service', 'Device', 'Event']),
  MessageCategory: z.string(),
  MessageType: z.enum(['Request', 'Response', 'Notification']),
  ServiceID: z.string().regex(/^[A-Za-z0-9]{1,10}$/),
  DeviceID: z.string().min(1).max(10).optional(),
  SaleID: z.string().min(1),
  POIID: z.string().min(1),
});
type MessageHeader = z.infer<typeof header>;

const fitsHeader = compileSchemaCheck(header);
const fitsBody = memoize((kind: MessageKind) => compileSchemaCheck<z.ZodType>(bodies[kind].schema));

/** One message. Its kind determines the type of its body. */
export type Message = {
  [K in MessageKind]: { kind: K; header: MessageHeader; body: MessageBody<K> };
}[MessageKind];

/** The gateway's identity on a link. The terminal's identity is its POIID. */
const saleId = 'pinpad';

/**
 * Makes the JSON text of a message, in the form in which it is sent over a link. The caller passes the body as JSON
 * text, because the caller may already have converted a large body.
 */
export function encodeMessage(
  kind: MessageKind,
  ids: { serviceId: string; poiId: string },
  bodyText: string,
): string {
  const [serviceId, poiId] = [JSON.stringify(ids.serviceId), JSON.stringify(ids.poiId)];
  return `${beginning(kind)},"ServiceID":${serviceId},"SaleID":"${saleId}","POIID":${poiId}},"${kind}":${bodyText}}}`;
}

/** Makes the text with which all messages of a kind begin. The text ends before the identifiers. */
const beginning = memoize((kind: MessageKind) => {
  const { class: messageClass, category, type } = bodies[kind];
  const envelope = type === 'Response' ? 'SaleToPOIResponse' : 'SaleToPOIRequest';
  const header = {
    ProtocolVersion: '3.0',
    MessageClass: messageClass,
    MessageCategory: category,
    MessageType: type,
  } satisfies Partial<MessageHeader>;
  return `{"${envelope}":{"MessageHeader":${JSON.stringify(header).slice(0, -1)}`;
});

/**
 * Thrown if a text is not a message. If the other end of a link broke the protocol, the error's text becomes the reason
 * with which the link is closed.
 */
export class MessageFormatError extends Error {
  /**
   * The header and the kind of a message whose body cannot be read. It is undefined if the header cannot be read
   * either, or if the kind is unknown.
   */
  readonly of: { kind: MessageKind; header: MessageHeader } | undefined;

  constructor(message: string, of?: { kind: MessageKind; header: MessageHeader }) {
    super(message.replaceAll(/\s+/g, ' '));
    this.of = of;
  }
}

/**
 * Reads a message from JSON text that came over a link. Unknown fields are dropped. Any other fault in the message
 * causes a {@link MessageFormatError}.
 */
export function decodeMessage(json: unknown): Message {
  const inner = unwrap(json);
  const kind = Object.keys(inner).find(
    (key): key is MessageKind => key !== 'MessageHeader' && Object.hasOwn(bodies, key),
  );
  if (!kind) throw new MessageFormatError('unknown message body');
  const { MessageHeader } = inner;
  if (fitsHeader(MessageHeader) && fitsBody(kind)(inner[kind]))
    return { kind, header: MessageHeader, body: inner[kind] } as Message;
  return parseMessage(kind, inner);
}

function parseMessage(kind: MessageKind, inner: Record<string, unknown>): Message {
  const parsedHeader = header.safeParse(inner.MessageHeader);
  if (!parsedHeader.success)
    throw new MessageFormatError(`MessageHeader: ${z.prettifyError(parsedHeader.error)}`);
  const parsedBody = bodies[kind].schema.safeParse(inner[kind]);
  if (!parsedBody.success) {
    const of = { kind, header: parsedHeader.data };
    throw new MessageFormatError(`${kind}: ${z.prettifyError(parsedBody.error)}`, of);
  }
  return { kind, header: parsedHeader.data, body: parsedBody.data } as Message;
}

function unwrap(json: unknown): Record<string, unknown> {
  if (typeof json === 'object' && json !== null) {
    const { SaleToPOIRequest, SaleToPOIResponse } = json as Record<string, unknown>;
    const inner = SaleToPOIRequest ?? SaleToPOIResponse;
    if (typeof inner === 'object' && inner !== null) return inner as Record<string, unknown>;
  }
  throw new MessageFormatError('neither SaleToPOIRequest nor SaleToPOIResponse');
}
