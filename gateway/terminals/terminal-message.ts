import {
  decodeMessage,
  type Message,
  MessageFormatError,
  type MessageKind,
} from '../../shared/nexo/message.ts';
import { closeCodes, LinkProtocolError } from '../../shared/transport/link.ts';

/** The kinds of messages that terminals send. All other kinds are sent to terminals. */
const terminalKinds = [
  'PaymentResponse',
  'ReversalResponse',
  'TransactionStatusResponse',
  'DiagnosisResponse',
  'DisplayRequest',
  'EventNotification',
  'AcquirerRequest',
] as const satisfies readonly MessageKind[];
export type TerminalMessage = Extract<Message, { kind: (typeof terminalKinds)[number] }>;

/** The kind and header of a message that cannot be read. */
export type UnreadableMessageHead = NonNullable<MessageFormatError['of']>;

export function isTerminalKind(kind: MessageKind): kind is TerminalMessage['kind'] {
  return (terminalKinds as readonly MessageKind[]).includes(kind);
}

export function decodeOrError(json: unknown): Message | MessageFormatError {
  try {
    return decodeMessage(json);
  } catch (error) {
    if (error instanceof MessageFormatError) return error;
    throw error;
  }
}

/** Gives the kind and header of an unreadable message. If the message has no header, throws LinkError. */
export function readUnreadableHead({ of, message }: MessageFormatError): UnreadableMessageHead {
  if (!of) throw new LinkProtocolError(closeCodes.badMessage, message);
  return of;
}

export function parseMessageBody(text: string): unknown {
  return decodeMessage(JSON.parse(text)).body;
}

/** Gives the payment that a message names; undefined if the message names no payment. */
export function readNamedPayment(message: TerminalMessage): string | undefined {
  if (message.kind === 'PaymentResponse' || message.kind === 'ReversalResponse')
    return message.body.SaleData.SaleTransactionID.TransactionID;
  if (message.kind === 'AcquirerRequest') return message.body.PaymentReference;
  return undefined;
}
