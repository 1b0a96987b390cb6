import { type Actor, createActor } from 'xstate';
import { isoTime } from '../../shared/clock.ts';
import type { Card } from '../../shared/emulator/cards.ts';
import type { HandAction, HandRefusal, PrintedReceipt, Shopper } from '../../shared/emulator/hand.ts';
import type { Key, Language, Screen, ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalKind, JournalKinds } from '../../shared/journal.ts';
import type { DiagnosisResponse, EventNotification, PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { lowerCamel } from '../../shared/nexo/enums.ts';
import { alphanumeric } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import { terminalIdentity } from '../payment/tender.ts';
import { printReceipt } from '../receipts/print-receipt.ts';
import { locales } from '../screens/locales.ts';
import { renderScreen } from '../screens/render-screen.ts';
import type { DialQueue } from './dial-queue.ts';
import { HostLine } from './host-line.ts';
import type { LinkState } from './kept-link.ts';
import type { Memory } from './memory.ts';
import { Outbox } from './outbox.ts';
import type { Pacing } from './pacing.ts';
import { PaymentDesk } from './payment-desk.ts';
import { type GatewayMessage, PoiLink } from './poi-link.ts';
import { Progress } from './progress.ts';
import { AutomaticShopper, keysOf } from './shopper.ts';
import { answerStatus } from './status.ts';
import { terminalMachine } from './terminal.machine.ts';
import { entriesIn, paymentScreen, viewIdle, viewPayment } from './terminal-view.ts';

/** Who a terminal is, and its key to the gateway. */
export interface TerminalSettings {
  readonly poiId: string;
  readonly deviceKey: string;
  readonly storeName?: string;
  /** The merchant's, of idle screens and cashier receipts; English when absent. */
  readonly language?: Language;
}

export interface TerminalParts {
  /** The gateway's /poi. */
  readonly url: string;
  readonly runtime: Runtime;
  readonly memory: Memory;
  readonly cards: CardCatalogue;
  readonly pacing: Pacing;
  readonly dials: DialQueue;
}

/** Receipts that stay in the tray. */
const trayHolds = 20;

/**
 * One emulated terminal: what a hand can do to it, what can be seen of it. Everything else it does by itself,
 * over its link to the gateway.
 */
export class Terminal {
  readonly poiId: string;
  readonly settings: TerminalSettings;
  #parts: TerminalParts;
  #link: PoiLink;
  #host: HostLine;
  #outbox: Outbox;
  #desk: PaymentDesk;
  #device: Actor<typeof terminalMachine>;
  #announced = false;
  /** Laid out only when somebody looks at the tray. */
  #tray: { receipt: PaymentReceipt; transactionId: string }[] = [];
  #shopper: AutomaticShopper | undefined;
  #shown: { device: string; screen: ScreenState } = { device: 'off', screen: 'off' };
  #listeners = new Set<() => void>();

  constructor(settings: TerminalSettings, parts: TerminalParts) {
    this.poiId = settings.poiId;
    this.settings = settings;
    this.#parts = parts;
    const { runtime, memory, pacing, cards } = parts;
    const terminal = terminalIdentity(settings.poiId);
    this.#link = new PoiLink(
      { url: parts.url, deviceKey: settings.deviceKey, poiId: settings.poiId },
      parts,
      { changed: (state) => this.#linkChanged(state), received: (message) => this.#received(message) },
    );
    const link = this.#link;
    this.#outbox = new Outbox(this.poiId, { memory, link });
    this.#host = new HostLine(this.poiId, { runtime, memory, link }, (answer) =>
      this.#desk.input({ type: 'host.answered', answer }),
    );
    this.#desk = new PaymentDesk(
      {
        terminal,
        merchantLanguage: settings.language ?? 'en',
        runtime,
        memory,
        cards,
        pacing,
        host: this.#host,
        outbox: this.#outbox,
        progress: new Progress(runtime, link),
      },
      {
        changed: () => this.#changed(),
        printed: (receipt, transactionId) => this.#printed(receipt, transactionId),
      },
    );
    this.#device = createActor(terminalMachine, {
      clock: runtime.clock as never,
      input: {
        effects: { boot: () => this.#boot(), loseVolatile: () => this.#loseVolatile() },
        startMs: pacing.startMs,
      },
    });
    this.#device.subscribe(() => this.#changed());
    this.#device.start();
    this.#device.send({ type: 'power.on' });
  }

  /** Does what a hand would. Returns why it could not be done, where it could not. */
  act(action: HandAction): HandRefusal | undefined {
    switch (action.action) {
      case 'insert':
      case 'tap':
      case 'swipe': {
        const card = this.#parts.cards.get(action.card);
        if (!card) return { code: 'unknownCard', message: `there is no card ${action.card} in the tray` };
        return this.present(action.action, card);
      }
      case 'remove':
        return this.#remove();
      case 'press':
        for (const key of action.keys) this.#press(key);
        return undefined;
      case 'power':
        return this.#setPower(action.on);
      case 'network':
        return this.#setNetwork(action.up);
      case 'resetCard':
        if (!this.#parts.cards.get(action.card))
          return { code: 'unknownCard', message: `there is no card ${action.card} in the tray` };
        this.#parts.cards.reset(action.card);
        return undefined;
    }
  }

  /** Brings a card before the terminal, also one that is not in the tray (a real reader's). */
  present(how: 'insert' | 'tap' | 'swipe', card: Card): HandRefusal | undefined {
    const refusal = this.#whyNotPresent(how, card);
    if (refusal) return { code: 'notPossible', message: refusal };
    const { cards, runtime } = this.#parts;
    const presented = { card, blocked: cards.isBlocked(card.id), at: runtime.clock.now() };
    const types = { insert: 'inserted', tap: 'tapped', swipe: 'swiped' } as const;
    this.#journal('terminal.card', { action: types[how], card: card.id });
    if (how === 'insert' && !this.#desk.payment) this.#notify('CardInserted');
    this.#desk.input({ type: types[how], presented });
    return undefined;
  }

  /** Types a tray card's number and expiry, where the terminal takes typed cards. */
  keyIn(cardId: string): HandRefusal | undefined {
    const card = this.#parts.cards.get(cardId);
    if (!card) return { code: 'unknownCard', message: `there is no card ${cardId} in the tray` };
    if (!this.screen().entries.includes('Keyed'))
      return { code: 'notPossible', message: 'the terminal does not take a typed card now' };
    return this.act({ action: 'press', keys: keysOf(card) });
  }

  screen(): Screen {
    const { context } = this.#device.getSnapshot();
    const state = this.#screenState();
    const payment = this.#desk.payment;
    const slot = this.#desk.slot;
    return renderScreen({
      ...(payment
        ? viewPayment(state, payment.context)
        : viewIdle(this.settings.language ?? 'en', context.link === 'refused')),
      state,
      power: this.#shown.device !== 'off',
      network: this.#link.up,
      poiId: this.poiId,
      ...(this.settings.storeName === undefined ? {} : { storeName: this.settings.storeName }),
      ...(slot ? { card: { id: slot.card.id, label: slot.card.label } } : {}),
    } as Parameters<typeof renderScreen>[0]);
  }

  /** Calls `listener` with every new screen; returns how to stop. */
  onScreen(listener: (screen: Screen) => void): () => void {
    return this.onChange(() => listener(this.screen()));
  }

  /** As {@link onScreen}, for those who draw later and seldom: nothing is drawn for them. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The receipts in the tray, the newest last. */
  receipts(): PrintedReceipt[] {
    return this.#tray.map(({ receipt, transactionId }) => printReceipt(receipt, transactionId));
  }

  /** Whether the network cable is plugged in; the link may still be down. */
  get networkUp(): boolean {
    return this.#link.networkUp;
  }

  /** Who acts by itself, if anybody. */
  get shopper(): Shopper | undefined {
    return this.#shopper?.settings;
  }

  /** Sets who acts by itself whenever a payment asks; null leaves it to people. */
  setShopper(settings: Shopper | null): void {
    this.#shopper?.stop();
    this.#shopper = settings
      ? new AutomaticShopper(this, settings, { clock: this.#parts.runtime.clock, cards: this.#parts.cards })
      : undefined;
  }

  /** What the terminal is doing, without drawing it. */
  get state(): ScreenState {
    return this.#shown.screen;
  }

  /** Which prompt stands: two screens with the same value ask the same thing. */
  get prompt(): string {
    const payment = this.#desk.payment?.context;
    const slot = this.#desk.slot ? 'card' : '';
    return `${this.state} ${payment?.order.sale.serviceId} ${payment?.triesLeft} ${payment?.chipFailures} ${slot}`;
  }

  /** Closes the link; what has to survive is in the memory. */
  close(): void {
    this.#shopper?.stop();
    this.#listeners.clear();
    this.#link.close();
    this.#host.forget();
    this.#desk.close();
    this.#device.stop();
  }

  #whyNotPresent(how: 'insert' | 'tap' | 'swipe', card: Card): string | undefined {
    if (this.state === 'off') return 'the terminal has no power';
    const slot = this.#desk.slot?.card;
    if (slot && (how === 'insert' || slot.id === card.id)) return `card ${slot.id} is in the slot`;
    if (how === 'tap' && !card.contactless) return `card ${card.id} cannot be tapped`;
    if (how === 'swipe' && !card.stripe) return `card ${card.id} has no magnetic stripe`;
    const payment = this.#desk.payment;
    const entries = payment ? entriesIn(this.state, payment.context) : [];
    const way = { insert: 'ICC', tap: 'Contactless', swipe: 'MagStripe' } as const;
    // A card can be pushed into the slot at any time, except where the terminal asks for another way in.
    if (entries.includes(way[how]) || (how === 'insert' && entries.length === 0)) return undefined;
    return entries.length === 0
      ? 'the terminal is not asking for a card'
      : `the terminal asks for ${entries.join(' or ')}`;
  }

  #remove(): HandRefusal | undefined {
    const slot = this.#desk.slot;
    if (!slot) return { code: 'notPossible', message: 'there is no card in the slot' };
    this.#journal('terminal.card', { action: 'removed', card: slot.card.id });
    if (!this.#desk.payment) this.#notify('CardRemoved');
    this.#desk.input({ type: 'removed' });
    return undefined;
  }

  #press(key: Key): void {
    if (key === 'power') {
      this.#journal('terminal.key', { key });
      this.#setPower(this.state === 'off');
      return;
    }
    if (this.state === 'off') return;
    this.#journal('terminal.key', { key: secretStates.has(this.state) && /^\d$/.test(key) ? 'digit' : key });
    this.#desk.input({ type: 'key', key });
  }

  #setPower(on: boolean): HandRefusal | undefined {
    if (on === (this.state !== 'off'))
      return { code: 'notPossible', message: `the power is ${on ? 'on' : 'off'} already` };
    this.#journal('terminal.power', { on });
    this.#device.send({ type: on ? 'power.on' : 'power.off' });
    return undefined;
  }

  #setNetwork(up: boolean): HandRefusal | undefined {
    if (up === this.#link.networkUp)
      return { code: 'notPossible', message: `the network is ${up ? 'up' : 'cut'} already` };
    this.#journal('terminal.network', { up });
    this.#link.setNetwork(up);
    return undefined;
  }

  #boot(): void {
    this.#announced = false;
    const { runtime } = this.#parts;
    this.#desk
      .recall()
      .then((powered) => powered && this.#link.start())
      .catch((error) =>
        runtime.journal.add('warning', { message: `memory: ${error}` }, { terminal: this.poiId }),
      );
  }

  #loseVolatile(): void {
    this.#link.drop();
    this.#host.forget();
    this.#outbox.forget();
    this.#desk.loseVolatile();
  }

  #linkChanged(to: LinkState): void {
    if (to === 'up') {
      if (!this.#announced) this.#notify('Initialised');
      this.#announced = true;
      this.#outbox.linkUp();
      this.#host.linkUp();
    } else this.#host.linkDown();
    this.#device.send({ type: 'link.changed', to });
  }

  #received(message: GatewayMessage): void | Promise<void> {
    const { ServiceID } = message.header;
    switch (message.kind) {
      case 'PaymentRequest':
        return this.#desk.requested(ServiceID, message.body);
      case 'AbortRequest':
        return this.#desk.abort(message.body);
      case 'AcquirerResponse':
        return this.#host.received(ServiceID, message.body);
      case 'TransactionStatusRequest':
        return answerStatus(ServiceID, message.body, {
          poiId: this.poiId,
          memory: this.#parts.memory,
          desk: this.#desk,
          outbox: this.#outbox,
          link: this.#link,
        });
      case 'DiagnosisRequest':
        this.#link.tell('DiagnosisResponse', ServiceID, this.#diagnosis());
    }
  }

  #diagnosis(): DiagnosisResponse {
    return {
      Response: { Result: 'Success' },
      POIStatus: { GlobalStatus: this.#desk.busy ? 'Busy' : 'OK' },
    };
  }

  /** Events outside a payment; during one its progress tells of the card. */
  #notify(event: EventNotification['EventToNotify']): void {
    const { clock, random } = this.#parts.runtime;
    if (!this.#link.up) return;
    this.#link.tell('EventNotification', alphanumeric(random, 10), {
      TimeStamp: isoTime(clock.now()),
      EventToNotify: event,
    });
  }

  #printed(receipt: PaymentReceipt, transactionId: string): void {
    this.#tray.push({ receipt, transactionId });
    if (this.#tray.length > trayHolds) this.#tray.shift();
    this.#journal('terminal.printed', { copy: lowerCamel(receipt.DocumentQualifier) });
  }

  /** Follows the two machines: tells each of the other, then those who watch. */
  #changed(): void {
    const paying = this.#desk.payment !== undefined;
    const on = this.#device.getSnapshot().value;
    if (typeof on === 'object' && paying !== (on.on === 'paying'))
      return this.#device.send({ type: paying ? 'payment.began' : 'payment.over' });
    const shown = { device: typeof on === 'object' ? on.on : on, screen: this.#screenState() };
    const before = this.#shown;
    this.#shown = shown;
    if (before.device !== shown.device) this.#journal('terminal.state', { state: shown.device });
    if (before.screen !== shown.screen)
      this.#journal('terminal.screen', {
        state: shown.screen,
        title: locales[this.#language].states[shown.screen].title,
      });
    for (const listener of this.#listeners) listener();
  }

  get #language(): Language {
    return this.#desk.payment?.context.order.language ?? this.settings.language ?? 'en';
  }

  #screenState(): ScreenState {
    const { value } = this.#device.getSnapshot();
    if (typeof value !== 'object') return value as ScreenState;
    const payment = this.#desk.payment;
    if (payment) return paymentScreen(payment.state);
    return this.#desk.slot ? 'removeCard' : (value.on as ScreenState);
  }

  #journal<K extends JournalKind>(kind: K, data: JournalKinds[K]): void {
    const payment = this.#desk.payment?.context.order.sale.transactionId;
    this.#parts.runtime.journal.add(kind, data, { terminal: this.poiId, payment });
  }
}

/** Where digits are a card number or a PIN, and so are journaled as "digit" only. */
const secretStates = new Set<ScreenState>(['presentCard', 'keyedNumber', 'keyedExpiry', 'pin', 'pinWrong']);
