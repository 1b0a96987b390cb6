import {
  type Body,
  decode,
  encodeText,
  type Kind,
  type Message,
  MessageFormatError,
} from '../../shared/nexo/message.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, LinkError } from '../../shared/transport/link.ts';
import type { DialQueue } from './dial-queue.ts';
import { KeptLink, type LinkState, type LinkTarget } from './kept-link.ts';

/** What may come from the gateway. */
const gatewayKinds = [
  'PaymentRequest',
  'AbortRequest',
  'TransactionStatusRequest',
  'DiagnosisRequest',
  'AcquirerResponse',
] as const satisfies readonly Kind[];
export type GatewayMessage = Extract<Message, { kind: (typeof gatewayKinds)[number] }>;

export interface PoiLinkHandlers {
  changed(state: LinkState): void;
  /** Resolves once the message may be acknowledged: what it asks is in the terminal's memory. */
  received(message: GatewayMessage): void | Promise<void>;
}

/** A terminal's end of /poi: nexo messages over a link that is kept up. */
export class PoiLink extends KeptLink {
  #poiId: string;

  constructor(target: LinkTarget, parts: { runtime: Runtime; dials: DialQueue }, handlers: PoiLinkHandlers) {
    super(target, parts, {
      changed: (state) => handlers.changed(state),
      received: (json) => handlers.received(checked(read(json), target.poiId)),
    });
    this.#poiId = target.poiId;
  }

  /** Sends where the link stands; false where it does not. */
  tell<K extends Kind>(kind: K, serviceId: string, body: Body<K>, acknowledged?: () => void): boolean {
    return this.up && this.tellText(kind, serviceId, JSON.stringify(body), acknowledged);
  }

  /** As {@link tell}, for a body that is JSON text already. */
  tellText(kind: Kind, serviceId: string, bodyText: string, acknowledged?: () => void): boolean {
    const ids = { serviceId, poiId: this.#poiId };
    return this.up && this.send(encodeText(kind, ids, bodyText), acknowledged);
  }
}

function read(json: unknown): Message {
  try {
    return decode(json);
  } catch (error) {
    if (error instanceof MessageFormatError) throw new LinkError(closeCodes.badMessage, error.message);
    throw error;
  }
}

function checked(message: Message, poiId: string): GatewayMessage {
  if (message.header.POIID !== poiId)
    throw new LinkError(closeCodes.policy, `POIID ${message.header.POIID} is not this terminal`);
  if (!isGatewayKind(message))
    throw new LinkError(closeCodes.policy, `a gateway does not send ${message.kind}`);
  return message;
}

function isGatewayKind(message: Message): message is GatewayMessage {
  return (gatewayKinds as readonly Kind[]).includes(message.kind);
}
