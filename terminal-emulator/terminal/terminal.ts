import { isoTime } from '../../shared/clock.ts';
import type { Card } from '../../shared/emulator/cards.ts';
import type { HandAction, HandRefusal, PrintedReceipt, Shopper } from '../../shared/emulator/hand.ts';
import type { ConnectedReader, Language, Screen, ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalKind, JournalKinds } from '../../shared/journal.ts';
import type { EventNotification, PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { lowerCamel } from '../../shared/nexo/enums.ts';
import { alphanumeric } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import { type PresentableCard, totalMinor } from '../payment/payment-context.ts';
import { terminalIdentity } from '../payment/tender.ts';
import { printReceipt } from '../receipts/print-receipt.ts';
import { renderScreen } from '../screens/render-screen.ts';
import { Device } from './device.ts';
import type { DialQueue } from './dial-queue.ts';
import { Hand, type Presenting } from './hand.ts';
import { HostLine } from './host-line.ts';
import type { LinkState } from './kept-link.ts';
import type { Memory } from './memory.ts';
import { Outbox } from './outbox.ts';
import type { Pacing } from './pacing.ts';
import { PaymentDesk } from './payment-desk.ts';
import { PoiLink } from './poi-link.ts';
import { Progress } from './progress.ts';
import { type Answering, answerGateway } from './requests.ts';
import { AutomaticShopper } from './shopper.ts';
import { paymentScreen, tellIdle, tellScreen, viewIdle, viewPayment } from './terminal-view.ts';

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

const linkWarnings: Partial<Record<LinkState, string>> = {
  refused: 'the gateway refused the device key: give the terminal the one it was provisioned with',
  displaced: 'another connection of this terminal took over: it may run in two processes',
};

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
  #hand: Hand | undefined;
  #device: Device;
  #announced = false;
  /** Laid out only when somebody looks at the tray. */
  #tray: { receipt: PaymentReceipt; transactionId: string }[] = [];
  #shopper: AutomaticShopper | undefined;
  #shown: { device: string; screen: ScreenState; tapFailure?: unknown } = { device: 'off', screen: 'off' };
  #readers = new Map<string, ConnectedReader>();
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
      {
        changed: (state) => this.#linkChanged(state),
        received: (message) => answerGateway(message, this.#whoAnswers),
      },
    );
    const link = this.#link;
    this.#outbox = new Outbox(this.poiId, { runtime, memory, link });
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
        broke: (error) => this.#device.broke(error),
      },
    );
    const effects = { boot: () => this.#boot(), loseVolatile: () => this.#loseVolatile() };
    const power = { effects, startMs: pacing.startMs };
    this.#device = new Device(this.poiId, runtime, power, () => this.#changed());
    this.#device.send({ type: 'power.on' });
  }

  /** Does what a hand would. Returns why it could not be done, where it could not. */
  act(action: HandAction): HandRefusal | undefined {
    return this.#handOf.act(action);
  }

  /** Brings a card before the terminal, also one that is not in the tray (a real reader's). */
  present(how: Presenting, card: Card | PresentableCard): HandRefusal | undefined {
    return this.#handOf.present(how, card);
  }

  /** Takes the card out of the slot. */
  remove(): HandRefusal | undefined {
    return this.#handOf.remove();
  }

  /** Types a tray card's number and expiry, where the terminal takes typed cards. */
  keyIn(cardId: string): HandRefusal | undefined {
    return this.#handOf.keyIn(cardId);
  }

  /** What is to be paid now, tip included, in minor units; undefined between payments. */
  sale(): { amount: number; currency: string } | undefined {
    const payment = this.#desk.payment?.context;
    return payment && { amount: totalMinor(payment), currency: payment.order.currency };
  }

  screen(): Screen {
    const { context } = this.#device.snapshot;
    const state = this.#screenState();
    const payment = this.#desk.payment;
    const slot = this.#desk.slot;
    const drawn = renderScreen({
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
    return this.#readers.size > 0 ? { ...drawn, readers: this.readers } : drawn;
  }

  /** The real card readers connected to it, in the order they came. */
  get readers(): ConnectedReader[] {
    return [...this.#readers.values()];
  }

  /** Shows how a real reader is beside the screen; undefined where it belongs to this terminal no more. */
  showReader(name: string, reader: ConnectedReader | undefined): void {
    if (reader) this.#readers.set(name, reader);
    else this.#readers.delete(name);
    this.#changed();
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

  /** Asks the gateway for a sign of life. */
  ping(): void {
    this.#link.ping();
  }

  /** Closes the link; what has to survive is in the memory. */
  close(): void {
    this.#shopper?.stop();
    this.#hand?.letGo();
    this.#listeners.clear();
    this.#link.close();
    this.#host.forget();
    this.#outbox.forget();
    this.#desk.close();
    this.#device.stop();
  }

  /** Made when first used: most of ten thousand terminals are never touched. */
  get #handOf(): Hand {
    const { runtime, cards } = this.#parts;
    this.#hand ??= new Hand({
      desk: this.#desk,
      link: this.#link,
      cards,
      clock: runtime.clock,
      state: () => this.state,
      switchPower: (on) => this.#device.send({ type: on ? 'power.on' : 'power.off' }),
      notify: (event) => this.#notify(event),
      journal: (kind, data) => this.#journal(kind, data),
    });
    return this.#hand;
  }

  get #whoAnswers(): Answering {
    return {
      poiId: this.poiId,
      memory: this.#parts.memory,
      desk: this.#desk,
      host: this.#host,
      outbox: this.#outbox,
      link: this.#link,
    };
  }

  #boot(): void {
    this.#announced = false;
    this.#desk
      .recall()
      .then((powered) => powered && this.#link.start())
      .catch((error) => this.#warn(`memory: ${error}`));
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
    const warning = linkWarnings[to];
    if (warning && this.#device.snapshot.context.link !== to) this.#warn(warning);
    this.#device.send({ type: 'link.changed', to });
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
    const on = this.#device.snapshot.value;
    if (typeof on === 'object' && paying !== (on.on === 'paying'))
      return this.#device.send({ type: paying ? 'payment.began' : 'payment.over' });
    const device = typeof on === 'object' ? on.on : on;
    const { tapFailure } = this.#desk.payment?.context ?? {};
    const shown = { device, screen: this.#screenState(), tapFailure };
    const before = this.#shown;
    this.#shown = shown;
    if (before.device !== shown.device) this.#journal('terminal.state', { state: shown.device });
    if (before.screen !== shown.screen || (tapFailure && tapFailure !== before.tapFailure))
      this.#journal(
        'terminal.screen',
        paying ? tellScreen(this.screen()) : tellIdle(shown.screen, this.settings.language),
      );
    for (const listener of this.#listeners) listener();
  }

  #screenState(): ScreenState {
    const { value } = this.#device.snapshot;
    if (typeof value !== 'object') return value as ScreenState;
    const payment = this.#desk.payment;
    if (payment) return paymentScreen(payment.state);
    return this.#desk.slot ? 'removeCard' : (value.on as ScreenState);
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message }, { terminal: this.poiId });
  }

  #journal<K extends JournalKind>(kind: K, data: JournalKinds[K]): void {
    const payment = this.#desk.payment?.context.order.sale.transactionId;
    this.#parts.runtime.journal.add(kind, data, { terminal: this.poiId, payment });
  }
}
