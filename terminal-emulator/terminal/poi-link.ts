import {
  decodeMessage,
  encodeMessage,
  type Message,
  type MessageBody,
  MessageFormatError,
  type MessageKind,
} from '../../shared/nexo/message.ts';
import { closeCodes, LinkProtocolError, UnreadableMessageError } from '../../shared/transport/link.ts';
import {
  type LinkDependencies,
  type LinkState,
  type LinkTarget,
  ReconnectingLink,
} from './reconnecting-link.ts';

/** The kinds of messages that the gateway may send. */
const gatewayKinds = [
  'PaymentRequest',
  'ReversalRequest',
  'AbortRequest',
  'TransactionStatusRequest',
  'DiagnosisRequest',
  'AcquirerResponse',
] as const satisfies readonly MessageKind[];
export type GatewayMessage = Extract<Message, { kind: (typeof gatewayKinds)[number] }>;

interface PoiLinkHandlers {
  changed(state: LinkState): void;
  /**
   * Resolves when the message can be acknowledged, because the request in the message is stored in the terminal's
   * memory.
   */
  received(message: GatewayMessage): void | Promise<void>;
  /** Called for a message that was refused because the terminal could not read it (B67). */
  unreadable(message: UnreadMessage, why: string): void;
}

/** The known parts of a message that could not be read. */
type UnreadMessage = NonNullable<MessageFormatError['of']>;

/**
 * `acknowledged` is called when the gateway has handled a message. `refused` is called if the gateway cannot read a
 * message.
 */
interface DeliveryCallbacks {
  acknowledged?: () => void;
  refused?: (reason: string) => void;
}

/** The advice that the operator needs in some states of a link. */
export const linkWarnings: Partial<Record<LinkState, string>> = {
  refused: 'the gateway refused the device key: give the terminal the key with which it was provisioned',
  otherClock:
    'the gateway has a virtual clock, so it only accepts terminals of its own process: start the gateway and the terminals together with "pinpad up", or start the gateway with a real clock',
  displaced:
    'another process runs the same terminal, and the two processes take the connection from each other: stop one of the two',
};

/** The terminal's end of the link /poi, which carries nexo messages. Whenever the link ends, it is opened again. */
export class PoiLink extends ReconnectingLink {
  #poiId: string;

  constructor(target: LinkTarget, parts: LinkDependencies, handlers: PoiLinkHandlers) {
    super(target, parts, {
      changed: (state) => handlers.changed(state),
      received: (json) => {
        const message = read(json, target.poiId);
        if (!(message instanceof MessageFormatError)) return handlers.received(message);
        if (message.of) handlers.unreadable(message.of, message.message);
        throw new UnreadableMessageError(message.message);
      },
    });
    this.#poiId = target.poiId;
  }

  /** Sends the message if the link is up. Returns false if the link is down. */
  sendMessage<K extends MessageKind>(
    kind: K,
    serviceId: string,
    body: MessageBody<K>,
    callbacks?: DeliveryCallbacks,
  ): boolean {
    return this.up && this.sendEncoded(kind, serviceId, JSON.stringify(body), callbacks);
  }

  /** Does the same as {@link sendMessage}, with a body that is already JSON text. */
  sendEncoded(
    kind: MessageKind,
    serviceId: string,
    bodyText: string,
    callbacks: DeliveryCallbacks = {},
  ): boolean {
    const ids = { serviceId, poiId: this.#poiId };
    return (
      this.up && this.send(encodeMessage(kind, ids, bodyText), callbacks.acknowledged, callbacks.refused)
    );
  }
}

/**
 * Reads a message. If only the body of the message cannot be read, returns the error. @throws LinkProtocolError if the
 * message breaks the protocol
 */
function read(json: unknown, poiId: string): GatewayMessage | MessageFormatError {
  try {
    const message = decodeMessage(json);
    check(message, poiId);
    return message as GatewayMessage;
  } catch (error) {
    if (!(error instanceof MessageFormatError)) throw error;
    if (!error.of) throw new LinkProtocolError(closeCodes.badMessage, error.message);
    check(error.of, poiId);
    return error;
  }
}

/** Checks that the gateway may send this message to this terminal. */
function check({ kind, header }: Pick<Message, 'kind' | 'header'>, poiId: string): void {
  if (header.POIID !== poiId)
    throw new LinkProtocolError(closeCodes.policy, `POIID ${header.POIID} is not this terminal`);
  if (!(gatewayKinds as readonly MessageKind[]).includes(kind))
    throw new LinkProtocolError(closeCodes.policy, `a gateway does not send ${kind}`);
}
