import { isoTime } from '../../shared/clock.ts';
import type { Card } from '../../shared/emulator/cards.ts';
import type { ActionRefusal, PrintedReceipt, Shopper, TerminalAction } from '../../shared/emulator/frames.ts';
import type { ConnectedReader, Language, Screen, ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalKind, JournalKinds } from '../../shared/journal.ts';
import type { EventNotification, PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { lowerCamel } from '../../shared/nexo/enums.ts';
import { alphanumeric } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import type { PresentableCard } from '../cards/presented-card.ts';
import type { Pacing } from '../payment/pacing.ts';
import { totalMinor } from '../payment/payment-context.ts';
import { terminalIdentity } from '../payment/tender.ts';
import { printReceipt } from '../receipts/print-receipt.ts';
import { renderScreen } from '../screens/render-screen.ts';
import { AcquirerChannel } from './acquirer-channel.ts';
import type { DialQueue } from './dial-queue.ts';
import type { Memory } from './memory.ts';
import { Outbox } from './outbox.ts';
import { PaymentController } from './payment-controller.ts';
import { PoiLink } from './poi-link.ts';
import { PowerController } from './power-controller.ts';
import { Progress } from './progress.ts';
import type { LinkState } from './reconnecting-link.ts';
import { answerGateway, type MessageTargets } from './requests.ts';
import { AutomaticShopper } from './shopper.ts';
import { type Presenting, TerminalActions } from './terminal-actions.ts';
import { describeIdleScreen, describeScreen, paymentScreen, viewIdle, viewPayment } from './terminal-view.ts';

/** Who a terminal is, and its key to the gateway. */
export interface TerminalSettings {
  readonly poiId: string;
  readonly deviceKey: string;
  readonly storeName?: string;
  /** The merchant's, of idle screens and cashier receipts; English when absent. */
  readonly language?: Language;
}

interface TerminalParts {
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
 * One emulated terminal: what a person can do to it, what can be seen of it. Everything else it does by itself,
 * over its link to the gateway.
 */
export class Terminal {
  readonly poiId: string;
  readonly settings: TerminalSettings;
  #parts: TerminalParts;
  #link: PoiLink;
  #host: AcquirerChannel;
  #outbox: Outbox;
  #controller: PaymentController;
  #createdActions: TerminalActions | undefined;
  #powerController: PowerController;
  #announced = false;
  /** Laid out only when the tray is used. */
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
        received: (message) => answerGateway(message, this.#responders),
      },
    );
    const link = this.#link;
    this.#outbox = new Outbox(this.poiId, { runtime, memory, link });
    this.#host = new AcquirerChannel(this.poiId, { runtime, memory, link }, (answer) =>
      this.#controller.input({ type: 'host.answered', answer }),
    );
    this.#controller = new PaymentController(
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
        broke: (error) => this.#powerController.broke(error),
      },
    );
    const effects = { boot: () => this.#boot(), loseVolatile: () => this.#loseVolatile() };
    const power = { effects, startMs: pacing.startMs };
    this.#powerController = new PowerController(this.poiId, runtime, power, () => this.#changed());
    this.#powerController.send({ type: 'power.on' });
  }

  /** Does what a person would. Returns why that is not possible, where it is not. */
  act(action: TerminalAction): ActionRefusal | undefined {
    return this.#actions.act(action);
  }

  /** Brings a card before the terminal, also one that is not in the tray (a real reader's). */
  present(how: Presenting, card: Card | PresentableCard): ActionRefusal | undefined {
    return this.#actions.present(how, card);
  }

  /** Takes the card out of the slot. */
  remove(): ActionRefusal | undefined {
    return this.#actions.remove();
  }

  /** Types a tray card's number and expiry, where the terminal takes typed cards. */
  keyIn(cardId: string): ActionRefusal | undefined {
    return this.#actions.keyIn(cardId);
  }

  /** What is to be paid now, tip included, in minor units; undefined between payments. */
  sale(): { amount: number; currency: string } | undefined {
    const payment = this.#controller.payment?.context;
    return payment && { amount: totalMinor(payment), currency: payment.order.currency };
  }

  screen(): Screen {
    const { context } = this.#powerController.snapshot;
    const state = this.#screenState();
    const payment = this.#controller.payment;
    const slot = this.#controller.slot;
    const drawn = renderScreen({
      ...(payment
        ? viewPayment(state, payment.context)
        : viewIdle(this.settings.language ?? 'en', context.link === 'refused')),
      state,
      power: this.#shown.device !== 'off',
      network: this.#link.up,
      poiId: this.poiId,
      storeName: this.settings.storeName,
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
    const payment = this.#controller.payment?.context;
    const slot = this.#controller.slot ? 'card' : '';
    return `${this.state} ${payment?.order.sale.serviceId} ${payment?.triesLeft} ${payment?.chipFailures} ${slot}`;
  }

  /** Asks the gateway for a sign of life. */
  ping(): void {
    this.#link.ping();
  }

  /** Closes the link; what has to survive is in the memory. */
  close(): void {
    this.#shopper?.stop();
    this.#createdActions?.release();
    this.#listeners.clear();
    this.#link.close();
    this.#host.forget();
    this.#outbox.forget();
    this.#controller.close();
    this.#powerController.stop();
  }

  /** Made when first used: most of ten thousand terminals are never touched. */
  get #actions(): TerminalActions {
    const { runtime, cards } = this.#parts;
    this.#createdActions ??= new TerminalActions({
      controller: this.#controller,
      link: this.#link,
      cards,
      clock: runtime.clock,
      state: () => this.state,
      switchPower: (on) => this.#powerController.send({ type: on ? 'power.on' : 'power.off' }),
      notify: (event) => this.#notify(event),
      journal: (kind, data) => this.#journal(kind, data),
    });
    return this.#createdActions;
  }

  get #responders(): MessageTargets {
    return {
      poiId: this.poiId,
      memory: this.#parts.memory,
      controller: this.#controller,
      host: this.#host,
      outbox: this.#outbox,
      link: this.#link,
    };
  }

  #boot(): void {
    this.#announced = false;
    this.#controller
      .recall()
      .then((powered) => powered && this.#link.start())
      .catch((error) => this.#warn(`memory: ${error}`));
  }

  #loseVolatile(): void {
    this.#link.drop();
    this.#host.forget();
    this.#outbox.forget();
    this.#controller.loseVolatile();
  }

  #linkChanged(to: LinkState): void {
    if (to === 'up') {
      if (!this.#announced) this.#notify('Initialised');
      this.#announced = true;
      this.#outbox.linkUp();
      this.#host.linkUp();
    } else this.#host.linkDown();
    const warning = linkWarnings[to];
    if (warning && this.#powerController.snapshot.context.link !== to) this.#warn(warning);
    this.#powerController.send({ type: 'link.changed', to });
  }

  /** Events outside a payment; during one its progress reports the card. */
  #notify(event: EventNotification['EventToNotify']): void {
    const { clock, random } = this.#parts.runtime;
    if (!this.#link.up) return;
    this.#link.sendMessage('EventNotification', alphanumeric(random, 10), {
      TimeStamp: isoTime(clock.now()),
      EventToNotify: event,
    });
  }

  #printed(receipt: PaymentReceipt, transactionId: string): void {
    this.#tray.push({ receipt, transactionId });
    if (this.#tray.length > trayHolds) this.#tray.shift();
    this.#journal('terminal.printed', { copy: lowerCamel(receipt.DocumentQualifier) });
  }

  /** Follows the two machines: notifies each of the other, then those who watch. */
  #changed(): void {
    const paying = this.#controller.payment !== undefined;
    const on = this.#powerController.snapshot.value;
    if (typeof on === 'object' && paying !== (on.on === 'paying'))
      return this.#powerController.send({ type: paying ? 'payment.began' : 'payment.over' });
    const device = typeof on === 'object' ? on.on : on;
    const { tapFailure } = this.#controller.payment?.context ?? {};
    const shown = { device, screen: this.#screenState(), tapFailure };
    const before = this.#shown;
    this.#shown = shown;
    if (before.device !== shown.device) this.#journal('terminal.state', { state: shown.device });
    if (before.screen !== shown.screen || (tapFailure && tapFailure !== before.tapFailure))
      this.#journal(
        'terminal.screen',
        paying ? describeScreen(this.screen()) : describeIdleScreen(shown.screen, this.settings.language),
      );
    for (const listener of this.#listeners) listener();
  }

  #screenState(): ScreenState {
    const { value } = this.#powerController.snapshot;
    if (typeof value !== 'object') return value as ScreenState;
    const payment = this.#controller.payment;
    if (payment) return paymentScreen(payment.state);
    return this.#controller.slot ? 'removeCard' : (value.on as ScreenState);
  }

  #warn(message: string): void {
    this.#parts.runtime.journal.add('warning', { message }, { terminal: this.poiId });
  }

  #journal<K extends JournalKind>(kind: K, data: JournalKinds[K]): void {
    const payment = this.#controller.payment?.context.order.sale.transactionId;
    this.#parts.runtime.journal.add(kind, data, { terminal: this.poiId, payment });
  }
}
