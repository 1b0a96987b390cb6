import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Screen, TerminalKey } from '../../shared/emulator/screen.ts';
import { defaultCards } from '../../terminal-emulator/cards/default-cards.ts';
import { type HttpAnswer, type StackHarness, stackHarness } from '../stack/stack-harness.ts';
import { type Command, shopperCards } from './command.ts';
import { Observations, type SentPayment } from './observations.ts';

/**
 * A PIN that only this test uses. It is so long that its digits do not occur by chance. If they are found anywhere, the
 * PIN leaked.
 */
export const secretPin = '739158';
const secretCard = {
  id: 'secret',
  label: 'Secret PIN',
  number: '4000008260000075',
  expiry: '1249',
  country: '826',
  funding: 'debit',
  applications: [{ aid: 'A0000000031010', label: 'VISA', brand: 'visa', debit: false }],
  pin: secretPin,
  chip: { verification: 'offlinePin', readable: 'yes' },
  contactless: { limit: 10, aboveLimit: 'pin' },
  stripe: { verification: 'onlinePin', readable: true },
  keyed: true,
  note: '',
} as const;

/** Every card, with the data that no log may contain. */
export const cardsWithSecretCard = [...defaultCards, secretCard];

/** A payment request that has no answer, because it is still open or because the answer was lost. */
interface Held {
  readonly controller: AbortController;
  over: boolean;
  answering?: Promise<void>;
}

/**
 * A folder in memory. Memory is enough, because only processes are restarted, and the machine itself does not lose
 * power.
 */
const fastFolder = '/dev/shm';

const minute = 60_000;

/**
 * The statuses that the answer to an abort may have. A 503 means that the gateway has stored the abort, but stopped
 * while the abort was on its way.
 */
const abortAnswers = [204, 404, 503, 504];

/** A stack with files and two terminals, on which commands act. */
export class World {
  readonly harness: StackHarness;
  readonly folder: string;
  readonly observed = new Observations();
  #held: Held[] = [];
  #answers: Promise<void>[] = [];
  /** The actions that still run, because nothing waited for them. */
  #doing: Promise<unknown>[] = [];

  private constructor(harness: StackHarness, folder: string) {
    this.harness = harness;
    this.folder = folder;
  }

  static async start(): Promise<World> {
    const folder = mkdtempSync(join(existsSync(fastFolder) ? fastFolder : tmpdir(), 'pinpad-world-'));
    const harness = await stackHarness({ memory: false, data: folder, cards: [secretCard as never] });
    return new World(harness, folder);
  }

  async end(): Promise<void> {
    await this.harness.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async execute(command: Command): Promise<void> {
    // Before a gateway is stopped, all earlier commands have to finish. Otherwise the stop would cut off their
    // requests.
    const stops = command.do === 'restart' || command.do === 'loseMemory';
    if (stops) await Promise.all(this.#doing);
    const doing = this.#do(command);
    this.#doing.push(doing);
    if (!command.settle && !stops) return;
    await Promise.all(this.#doing.splice(0));
    await this.harness.settled();
  }

  /**
   * Waits for all actions, and then lets more time pass than anything may take. Terminals that are switched off stay
   * off, and terminals without a network stay without it.
   */
  async settleAll(): Promise<void> {
    await Promise.all(this.#doing.splice(0));
    for (let minutes = 0; minutes < 15; minutes++) await this.harness.clock.advance(minute);
  }

  /** Ends all accidents and completes what is left to do. After this, every request must have been answered. */
  async settle(): Promise<void> {
    for (const number of [0, 1]) {
      const { poiId } = this.harness.terminal(number);
      await this.#control('DELETE', `/terminals/${poiId}/outcome`);
      await this.#control('POST', `/terminals/${poiId}/power`, { on: true });
      await this.#control('POST', `/terminals/${poiId}/network`, { up: true });
    }
    await this.harness.settled();
    for (let minutes = 0; minutes < 15; minutes++) await this.harness.clock.advance(minute);
    for (const number of [0, 1])
      await this.#control('POST', `/terminals/${this.harness.terminal(number).poiId}/remove`);
    await this.harness.clock.advance(minute);
    await Promise.all(this.#answers);
    await this.harness.settled();
  }

  #do(command: Command): Promise<unknown> {
    switch (command.do) {
      case 'pay':
        return this.#pay(command);
      case 'act': {
        const { action, ...rest } = command.action;
        return this.#act(command.terminal, action, rest);
      }
      case 'keyIn': {
        const { number, expiry } = this.#card(command.card);
        return this.#act(command.terminal, 'key-in', { number, expiry });
      }
      case 'answerPrompt':
        return this.#answerPrompt(command);
      case 'power':
        return this.#act(command.terminal, 'power', { on: command.on });
      case 'network':
        return this.#act(command.terminal, 'network', { up: command.up });
      case 'outcome': {
        const { poiId } = this.harness.terminal(command.terminal);
        const { outcome, mode } = command;
        return this.#control('PUT', `/terminals/${poiId}/outcome`, { outcome, mode });
      }
      case 'abortLatest':
        return this.#ask(
          'POST',
          `/terminals/${this.harness.terminal(command.terminal).identifier}/payment-request/abort`,
          abortAnswers,
        );
      case 'abortKey':
        return this.#ask('POST', '/payment-requests/abort', abortAnswers, { idempotencyKey: command.key });
      case 'status':
        return this.#ask('GET', `/payment-requests/status?idempotencyKey=${command.key}`, [200, 202, 404]);
      case 'latest':
        return this.#ask(
          'GET',
          `/terminals/${this.harness.terminal(command.terminal).identifier}/payment-request`,
          [200, 202, 404],
        );
      case 'hangUp':
        return this.#hangUp();
      case 'resetCards':
        return Promise.all(shopperCards.map((id) => this.#control('POST', `/cards/${id}/reset`)));
      case 'advance':
        return this.#control('POST', '/clock/advance', { ms: command.ms });
      case 'restart':
        return this.#restart(() => this.harness.restartGateway());
      case 'loseMemory':
        return this.#restart(() => this.harness.loseTerminalMemory());
    }
  }

  /** Sends a payment request and does not wait for the answer. The answer is checked when it comes. */
  #pay(command: Extract<Command, { do: 'pay' }>): Promise<unknown> {
    const { body, key, prefer } = command;
    const { identifier: terminalId } = this.harness.terminal(command.terminal);
    const payment: SentPayment = { terminalId, body, key };
    this.observed.payments.push(payment);
    const held: Held = { controller: new AbortController(), over: false };
    this.#held.push(held);
    const path = `/terminals/${terminalId}/payment-request`;
    const headers = {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(prefer === undefined ? {} : { prefer }),
    };
    const what = `payment of ${body.paymentTransaction.amountsReq.requestedAmount} with key ${key}`;
    held.answering = this.harness.http('POST', path, body, headers, held.controller.signal).then(
      (answer) => {
        held.over = true;
        this.observed.answered(what, answer, [200, 202, 303, 400, 422]);
        if ([200, 202, 303].includes(answer.status)) payment.identifier = answer.body.identifier;
      },
      (error) => {
        held.over = true;
        if (!held.controller.signal.aborted) this.observed.lost(what, error);
      },
    );
    this.#answers.push(held.answering);
    return Promise.resolve();
  }

  /** Sends a request that the gateway may hold, and does not wait for the answer. */
  #ask(method: string, path: string, expected: number[], body?: object): Promise<void> {
    const what = `${method} ${path}`;
    const answering = this.harness.http(method, path, body).then(
      (answer) => this.observed.answered(what, answer, expected),
      (error) => this.observed.lost(what, error),
    );
    this.#answers.push(answering);
    return Promise.resolve();
  }

  #act(terminal: number, act: string, body: object): Promise<HttpAnswer<{ screen: Screen }>> {
    const { poiId } = this.harness.terminal(terminal);
    return this.#control(
      'POST',
      `/terminals/${poiId}/${act}`,
      Object.keys(body).length > 0 ? body : undefined,
    );
  }

  /** Acts at a terminal. If the action is impossible, the answer has to say so. */
  async #control<Body>(method: string, path: string, body?: object): Promise<HttpAnswer<Body>> {
    const answer = await this.harness.control<Body>(method, path, body);
    const { status } = answer;
    if (status >= 400 && ![404, 409].includes(status))
      this.observed.faults.push(`${method} /control${path}: ${status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** Answers the question on the screen, as a shopper who wants to pay does. */
  async #answerPrompt({
    terminal,
    card: at,
    choice,
    wrongPin,
  }: Extract<Command, { do: 'answerPrompt' }>): Promise<void> {
    const { poiId } = this.harness.terminal(terminal);
    const { status, body: screen } = await this.harness.control<Screen>('GET', `/terminals/${poiId}/screen`);
    if (status !== 200) return;
    const press = (...keys: string[]) => this.#act(terminal, 'press', { keys: keys as TerminalKey[] });
    const inserted = cardsWithSecretCard.find(({ id }) => id === screen.card?.id);
    const card = this.#card(at);
    switch (screen.state) {
      case 'tip':
      case 'applicationChoice':
        await press(screen.choices[choice - 1]?.key ?? 'enter');
        return;
      case 'customTip':
        await press(...String(choice * 111), 'enter');
        return;
      case 'presentCard':
        await this.#present(terminal, screen, card);
        return;
      case 'insertInstead':
        await this.#act(terminal, 'insert', { card: card.id });
        return;
      case 'chipUnreadable':
        if (inserted) await this.#act(terminal, 'remove', {});
        else await this.#act(terminal, 'insert', { card: card.id });
        return;
      case 'swipeInstead':
        if (inserted) await this.#act(terminal, 'remove', {});
        await this.#act(terminal, 'swipe', { card: inserted?.id ?? card.id });
        return;
      case 'pin': {
        const right = inserted?.pin ?? card.pin ?? '1234';
        await press(...(wrongPin ? '0000' : right), 'enter');
        return;
      }
      case 'removeCard':
        await this.#act(terminal, 'remove', {});
    }
  }

  async #present(
    terminal: number,
    { entries }: Screen,
    card: (typeof cardsWithSecretCard)[number],
  ): Promise<void> {
    if (entries.includes('Contactless') && card.contactless)
      await this.#act(terminal, 'tap', { card: card.id });
    else if (entries.includes('ICC') && card.chip) await this.#act(terminal, 'insert', { card: card.id });
    else if (entries.includes('MagStripe') && card.stripe)
      await this.#act(terminal, 'swipe', { card: card.id });
    else await this.#act(terminal, 'key-in', { number: card.number, expiry: card.expiry });
  }

  #card(at: number): (typeof cardsWithSecretCard)[number] {
    return cardsWithSecretCard.find(({ id }) => id === shopperCards[at])!;
  }

  /** Closes the connection of the POS's last open request. */
  async #hangUp(): Promise<void> {
    await this.harness.settled();
    const held = this.#held.findLast(({ over }) => !over);
    held?.controller.abort();
    await held?.answering;
  }

  /** Restarts a process. Before that, it waits until earlier requests have arrived, so that they are answered. */
  async #restart(restarting: () => Promise<void>): Promise<void> {
    await this.harness.settled();
    await restarting();
  }
}
