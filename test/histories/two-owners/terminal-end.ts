import { setImmediate as turnEnd } from 'node:timers/promises';
import { findEntryInForce } from '../../../gateway/acquirer/attempts.ts';
import type { TerminalAnswer } from '../../../gateway/payments/core/step.ts';
import { paymentKinds } from '../../../gateway/store/rows/payments.ts';
import type { TerminalMessage } from '../../../gateway/terminals/terminal-message.ts';
import { UnreadableMessageError } from '../../../shared/transport/link.ts';
import { makeHostRequest, makeTerminalAnswer, paymentKindOf } from '../giving-back.ts';
import { makeReverseRequest, terminal } from '../inputs.ts';
import type { HistoryGateway, World } from './gateway.ts';
import { Link } from './links.ts';

/**
 * Plays the terminal. It dials either gateway, loses its link, and sends any message that a terminal might send,
 * sensible or not.
 */
export class TerminalEnd {
  readonly #world: World;
  readonly #ids: readonly string[];
  #at: HistoryGateway | undefined;
  #dials = 0;
  #link: Link | undefined;

  constructor(world: World, ids: readonly string[]) {
    this.#world = world;
    this.#ids = ids;
  }

  get connected(): boolean {
    return this.#link?.open === true && this.#link.there;
  }

  /** Whether a gateway other than the linked one has taken over the terminal. */
  get isElsewhere(): boolean {
    const { owner } = this.#world.database.disk;
    return this.connected && owner !== undefined && this.#at?.ids.has(owner.gateway_id) !== true;
  }

  dials(gateway: HistoryGateway): void {
    if (!gateway.knows) return;
    this.hangsUp();
    this.#at = gateway;
    this.#link = new Link(++this.#dials);
    gateway.links.connected(this.#link);
  }

  /** The terminal closes its link. The gateway notices that now or later. */
  hangsUp(): void {
    const { dice, database } = this.#world;
    const [link, at] = [this.#link, this.#at];
    this.#link = undefined;
    if (!link || !at) return;
    link.there = false;
    const notice = () => {
      if (link.open && !at.dead) at.links.drop();
    };
    if (!database.calm && dice.once(3)) database.waitWith(notice);
    else notice();
  }

  /** Whether a message of that kind about the payment has come over the present link. */
  has(kind: string, payment: string): boolean {
    return this.#link?.sent.some((sent) => sent.kind === kind && sent.payment === payment) ?? false;
  }

  /** The cardholder pays, and nothing goes wrong. */
  async pays(id: string): Promise<void> {
    const { disk } = this.#world.database;
    const amount = disk.payments.get(id)?.amount ?? 0;
    const kind = paymentKindOf(disk, id);
    const header = { ServiceID: `S${id}` };
    const body = makeHostRequest(kind, id, 'a1', { amount, pin: 'Correct' });
    const asked = { kind: 'AcquirerRequest', header, body };
    const answered = { ...answer(makeTerminalAnswer(kind, id, { attempt: 'a1', amount })), header };
    for (const message of [asked, answered]) {
      if (this.#link) this.#send(this.#link, message as TerminalMessage);
      await turnEnd();
    }
  }

  /** The terminal sends a message. Messages of a link that has ended are dropped. */
  says(): void {
    const { dice } = this.#world;
    const link = this.#link;
    if (!link || !this.connected) return;
    const [sent] = link.sent;
    if (sent && dice.once(2)) {
      link.sent.shift();
      this.#world.say(`the terminal takes ${sent.kind} ${sent.payment.slice(-2)}`);
      return dice.once(8) ? sent.refused() : sent.acknowledged();
    }
    this.#send(link, this.#message());
  }

  #send(link: Link, message: TerminalMessage): void {
    const at = this.#at as HistoryGateway;
    this.#world.say(`to ${at.name}: ${JSON.stringify(message)}`);
    const received = at.links.handlers.received(terminal, message, link);
    if (received)
      void at.answered(
        `a ${message.kind}`,
        received.catch((error) => this.#refused(at, link, error)),
      );
  }

  /** Handles an error: a message that cannot be read is refused, and any other error ends the link. */
  #refused(at: HistoryGateway, link: Link, error: unknown): never {
    if (!(error instanceof UnreadableMessageError)) {
      if (link.open) at.links.drop();
    }
    throw error;
  }

  #message(): TerminalMessage {
    const { dice, database } = this.#world;
    const { disk } = database;
    const running = [...disk.open.keys()].at(-1);
    const id = running && !dice.once(8) ? running : dice.oneOf(this.#ids);
    const amount = disk.payments.get(id)?.amount ?? 2_500;
    const attempt = dice.oneOf(['a1', 'a1', 'a1', 'a1', 'a2']);
    const serviceId = dice.once(20) ? 'other' : `S${id}`;
    const kind = dice.once(12) ? dice.oneOf(paymentKinds) : paymentKindOf(disk, id);
    const result = () => {
      if (dice.once(4))
        return makeTerminalAnswer(kind, id, { failed: dice.oneOf(['Cancel', 'WrongPIN'] as const) });
      const stands = findEntryInForce(disk.attempts(id))?.attempt_id ?? attempt;
      return makeTerminalAnswer(kind, id, {
        attempt: dice.once(8) ? attempt : stands,
        amount: dice.once(20) ? 4_711 : amount,
      });
    };
    const message = dice.oneOf<() => unknown>([
      ...asOften(4, () => ({
        kind: 'AcquirerRequest',
        body: makeHostRequest(kind, id, attempt, { amount, pin: dice.once(8) ? 'Wrong' : 'Correct' }),
      })),
      () => ({ kind: 'AcquirerRequest', body: makeReverseRequest(id, attempt) }),
      ...asOften(2, () => answer(result())),
      () => status(serviceId, { ErrorCondition: dice.oneOf(['InProgress', 'NotFound']) }),
      () => status(serviceId, {}, result()),
      () => pinEntered(),
    ])();
    return { ...(message as object), header: { ServiceID: serviceId } } as TerminalMessage;
  }
}

function asOften<Value>(times: number, value: Value): Value[] {
  return Array<Value>(times).fill(value);
}

function answer(given: TerminalAnswer) {
  if ('reversal' in given) return { kind: 'ReversalResponse', body: given.reversal };
  return { kind: 'PaymentResponse', body: given.response };
}

function status(ServiceID: string, Response: object, repeats?: TerminalAnswer) {
  const { kind = '', body } = repeats ? answer(repeats) : {};
  const repeated = repeats && { RepeatedResponseMessageBody: { [kind]: body } };
  return {
    kind: 'TransactionStatusResponse',
    body: {
      MessageReference: { ServiceID },
      Response,
      ...(repeated && { RepeatedMessageResponse: repeated }),
    },
  };
}

function pinEntered() {
  const PredefinedContent = { ReferenceID: 'event=PIN_ENTERED' };
  return { kind: 'DisplayRequest', body: { DisplayOutput: [{ OutputContent: { PredefinedContent } }] } };
}
