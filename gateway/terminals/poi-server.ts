import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  encodeMessage,
  type MessageBody,
  MessageFormatError,
  type MessageKind,
} from '../../shared/nexo/message.ts';
import type { Runtime } from '../../shared/runtime.ts';
import {
  closeCodes,
  type Link,
  LinkProtocolError,
  UnreadableMessageError,
} from '../../shared/transport/link.ts';
import type { LinkEndpoint } from '../../shared/transport/link-server.ts';
import {
  chooseDisplacementReason,
  isOlderDial,
  type NumberedDial,
  readDialHeaders,
} from '../../shared/transport/numbered-dial.ts';
import { hashSecret, parseBearerSecret } from '../accounts/secret.ts';
import { ConnectionLivenessCheck } from './connection-admission.ts';
import type { Terminal } from './directory.ts';
import { PingRota } from './ping-rota.ts';
import type { TerminalService } from './service.ts';
import {
  decodeOrError,
  isTerminalKind,
  parseMessageBody,
  readNamedPayment,
  readUnreadableHead,
  type TerminalMessage,
  type UnreadableMessageHead,
} from './terminal-message.ts';

/** Handles what happens on the connections of terminals. The service for payments implements these functions. */
export interface PoiHandlers {
  connected(terminal: Terminal): void;
  /** Called when the terminal's connection was closed with this code. */
  disconnected(terminal: Terminal, code: number): void;
  /** Resolves when everything that follows from the message is committed. After that, the message is acknowledged. */
  received(
    terminal: Terminal,
    message: TerminalMessage,
    link: { readonly open: boolean },
  ): void | Promise<unknown>;
  /** Called after a message that cannot be read was refused (B67). */
  unreadable(terminal: Terminal, message: UnreadableMessageHead): void;
}

/** A terminal that dialled (tried to connect), and the number of this dial if the terminal sent one. */
interface Dialled {
  readonly terminal: Terminal;
  readonly dial: NumberedDial | undefined;
}

interface Connection extends Dialled {
  readonly link: Link;
  /** The ServiceIDs of requests that the gateway has sent and the terminal has not answered yet. */
  readonly unanswered: Set<string>;
}

/**
 * The gateway's end of the terminals' connections (/poi). A terminal has one connection. A new connection replaces the
 * former one as soon as it has answered a ping, unless the terminal has dialled again by then (B189).
 */
export class PoiServer implements LinkEndpoint<Dialled> {
  #runtime: Runtime;
  #terminals: TerminalService;
  #handlers: PoiHandlers = { connected() {}, disconnected() {}, received() {}, unreadable() {} };
  #connections = new Map<string, Connection>();
  #admission: ConnectionLivenessCheck;
  readonly #pings: PingRota;
  #mayBeElsewhere: boolean;
  #stopped = false;

  /** `mayBeElsewhere` is true if a terminal may still be connected to another gateway when it dials this one. */
  constructor(runtime: Runtime, terminals: TerminalService, mayBeElsewhere = false) {
    this.#runtime = runtime;
    this.#terminals = terminals;
    this.#admission = new ConnectionLivenessCheck(runtime);
    this.#pings = new PingRota(runtime, this.#connections);
    this.#mayBeElsewhere = mayBeElsewhere;
    terminals.attach({
      connected: (terminal) => this.isConnected(terminal.id),
      deleted: ({ id }) => this.drop(id, ...deleted),
    });
  }

  handle(handlers: PoiHandlers): void {
    this.#handlers = handlers;
  }

  async admit(
    request: Pick<IncomingMessage, 'headers'>,
  ): Promise<Dialled | { refuse: number; reason: string }> {
    const poiId = String(request.headers['pinpad-poi'] ?? '');
    const terminal = this.#terminals.byPoiId(poiId);
    const key = parseBearerSecret(request.headers.authorization);
    if (!terminal || key === undefined || !this.holdsKey(poiId, key))
      return {
        refuse: 401,
        reason:
          'the headers pinpad-poi and Authorization must contain the poi_id of a terminal and its device key',
      };
    if (request.headers['pinpad-clock'] !== this.#runtime.clockId)
      return { refuse: 403, reason: 'with a virtual clock, only terminals of the same process are accepted' };
    return { terminal, dial: readDialHeaders(request.headers) };
  }

  /** Returns whether this is the terminal's device key. */
  holdsKey(poiId: string, deviceKey: string): boolean {
    const hash = this.#terminals.byPoiId(poiId)?.deviceKeyHash;
    return hash !== undefined && sameHash(hashSecret(deviceKey), hash);
  }

  /** Terminals of one process may share a socket (B165), but a terminal's key may open only a few sockets (B193). */
  sharedBy({ terminal }: Dialled): string {
    return terminal.id;
  }

  connected(link: Link, { terminal, dial }: Dialled): void {
    const connection: Connection = { link, terminal, dial, unanswered: new Set() };
    this.#runtime.journal.add('link.opened', { link: link.remote }, { terminal: terminal.poiId });
    link.handle(() => {
      // Before this connection has answered a ping, it does not count as the terminal's connection.
      throw new LinkProtocolError(closeCodes.displaced, chooseDisplacementReason(dial, dial));
    });
    link.onClosed((code, reason) => this.#closed(connection, code, reason));
    const mayDisplace = this.#mayBeElsewhere || this.#connections.has(terminal.id);
    if (mayDisplace) this.#admission.wait(link, terminal.id, () => this.#letIn(connection));
    else this.#letIn(connection);
  }

  #letIn(connection: Connection): void {
    const { link, terminal, dial } = connection;
    if (!this.#terminals.byId(terminal.id)) return link.close(...deleted);
    const former = this.#connections.get(terminal.id);
    if (former?.link.open && isOlderDial(dial, former.dial))
      return link.close(closeCodes.displaced, chooseDisplacementReason(dial, former.dial));
    this.#connections.set(terminal.id, connection);
    link.handle((json, text, bytes) => this.#received(connection, json, text, bytes));
    former?.link.close(closeCodes.displaced, chooseDisplacementReason(former.dial, dial));
    this.#pings.plan();
    if (!this.#stopped) this.#handlers.connected(terminal);
  }

  isConnected(terminalId: string): boolean {
    return this.#connections.get(terminalId)?.link.open === true;
  }

  /** Closes a terminal's connection. */
  drop(terminalId: string, code: number, reason: string): void {
    this.#connections.get(terminalId)?.link.close(code, reason);
  }

  /** Gives the terminal's present connection. */
  connectionOf(terminalId: string): Pick<Connection, 'link' | 'dial'> | undefined {
    return this.#connections.get(terminalId);
  }

  /** Closes the connection of a terminal that dialled another gateway, unless it dialled this gateway later. */
  displace(terminalId: string, by: NumberedDial | undefined): void {
    const connection = this.#connections.get(terminalId);
    if (connection && !isOlderDial(by, connection.dial))
      connection.link.close(closeCodes.displaced, chooseDisplacementReason(connection.dial, by));
  }

  /** Gives the identifiers of all connected terminals. */
  connectedTerminals(): Iterable<string> {
    return this.#connections.keys();
  }

  /**
   * Sends a message. The message's body may be JSON text. If the terminal has handled the message, `acknowledged` is
   * called. If the terminal cannot read the message, `refused` is called. If the connection ends first, neither
   * function is called. Returns false if the terminal is not connected.
   */
  send<K extends MessageKind>(
    terminal: Terminal,
    message: { kind: K; serviceId: string; body: MessageBody<K> | string; payment?: string },
    acknowledged?: () => void,
    refused?: (reason: string) => void,
  ): boolean {
    const connection = this.#connections.get(terminal.id);
    if (!connection?.link.open) return false;
    const { kind, serviceId, body, payment } = message;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (kind === 'TransactionStatusRequest' || kind === 'DiagnosisRequest')
      connection.unanswered.add(serviceId);
    const about = { terminal: terminal.poiId, payment };
    const sent = { link: connection.link.remote, message: kind, serviceId };
    this.#runtime.journal.add('message.sent', sent, about, { text });
    connection.link.send(
      encodeMessage(kind, { serviceId, poiId: terminal.poiId }, text),
      acknowledged,
      (why) => {
        const warned = `the terminal cannot read ${kind} ${serviceId}: ${why}`;
        this.#runtime.journal.add('warning', { message: warned }, about);
        refused?.(why);
      },
    );
    return true;
  }

  /**
   * Notes whether a terminal has a payment. In virtual time only terminals with a payment are pinged, so that days
   * without a payment pass at once.
   */
  watch(terminalId: string, paying: boolean): void {
    this.#pings.watch(terminalId, paying);
  }

  /**
   * From now on, the handlers are not called for connections, disconnections and messages of terminals, because the
   * gateway stops.
   */
  stop(): void {
    this.#stopped = true;
    this.#pings.stop();
  }

  #received(connection: Connection, json: unknown, text: string, bytes: number): void | Promise<unknown> {
    const { terminal, link } = connection;
    const message = this.#read(connection, json);
    const { kind, header } = message;
    this.#runtime.journal.add(
      'message.received',
      { link: link.remote, message: kind, serviceId: header.ServiceID },
      { terminal: terminal.poiId, payment: readNamedPayment(message) },
      { text, read: parseMessageBody, bytes },
    );
    if (this.#stopped) return;
    return this.#handlers.received(terminal, message, link)?.catch((error: unknown) => {
      if (error instanceof UnreadableMessageError) this.#unreadable(connection, message, error.message);
      throw error;
    });
  }

  #read(connection: Connection, json: unknown): TerminalMessage {
    const message = decodeOrError(json);
    if (message instanceof MessageFormatError) throw this.#refuse(connection, message);
    this.#checkHeader(connection, message);
    return message as TerminalMessage;
  }

  /** Tells the handlers about a message that cannot be read. Returns the error with which the message is refused. */
  #refuse(connection: Connection, error: MessageFormatError): UnreadableMessageError {
    const head = readUnreadableHead(error);
    this.#checkHeader(connection, head);
    this.#unreadable(connection, head, error.message);
    return new UnreadableMessageError(error.message);
  }

  #unreadable({ terminal, link }: Connection, { kind, header }: UnreadableMessageHead, why: string): void {
    const message = `link ${link.remote}: ${kind} ${header.ServiceID} cannot be read: ${why}`;
    this.#runtime.journal.add('warning', { message }, { terminal: terminal.poiId });
    if (!this.#stopped) this.#handlers.unreadable(terminal, { kind, header });
  }

  /** Uses the kind and header of a message to check whether the message is allowed on this connection. */
  #checkHeader(connection: Connection, { kind, header }: UnreadableMessageHead): void {
    if (header.POIID !== connection.terminal.poiId)
      throw new LinkProtocolError(
        closeCodes.policy,
        `POIID ${header.POIID} is not the terminal of this link`,
      );
    if (!isTerminalKind(kind))
      throw new LinkProtocolError(closeCodes.policy, `a terminal does not send ${kind}`);
    if (kind === 'TransactionStatusResponse' || kind === 'DiagnosisResponse') {
      if (!connection.unanswered.delete(header.ServiceID))
        throw new LinkProtocolError(
          closeCodes.policy,
          `${kind} ${header.ServiceID} does not answer any request`,
        );
    }
  }

  #closed(connection: Connection, code: number, reason: string): void {
    const { terminal, link } = connection;
    this.#runtime.journal.add(
      'link.closed',
      { link: link.remote, code, reason },
      { terminal: terminal.poiId },
    );
    if (this.#connections.get(terminal.id) !== connection) return;
    this.#connections.delete(terminal.id);
    if (!this.#stopped) this.#handlers.disconnected(terminal, code);
  }
}

const deleted = [closeCodes.policy, 'this terminal was deleted'] as const;

function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
