import { isoTime } from '../../shared/clock.ts';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type {
  ActionRefusal,
  AutomaticShopperSettings,
  NetworkFlapping,
  PrintedReceipt,
  ShopperSetting,
  TerminalAction,
} from '../../shared/emulator/frames.ts';
import type { ConnectedReader, Screen, ScreenState } from '../../shared/emulator/screen.ts';
import { describeCauseForLog } from '../../shared/file-fault.ts';
import type { EventNotification } from '../../shared/nexo/bodies.ts';
import { type EntryMode, toLowerCamel } from '../../shared/nexo/enums.ts';
import { makeAlphanumericText } from '../../shared/random.ts';
import type { MaskedCard } from '../cards/presented-card.ts';
import { totalMinorOf } from '../payment/payment-context.ts';
import { makeTerminalIdentity } from '../payment/terminal-identity.ts';
import type { EncodedReceipt } from '../receipts/receipt-copies.ts';
import { renderScreen } from '../screens/render-screen.ts';
import { AcquirerChannel } from './acquirer-channel.ts';
import { handleGatewayMessage } from './gateway-messages.ts';
import { OutcomeOutbox } from './outbox.ts';
import { PaymentController } from './payment-controller.ts';
import { type GatewayMessage, linkWarnings, PoiLink } from './poi-link.ts';
import { PowerController } from './power-controller.ts';
import { ProgressReporter } from './progress-reporter.ts';
import type { LinkState } from './reconnecting-link.ts';
import { AutomaticShopper } from './shopper.ts';
import { type PresentingWay, TerminalActions } from './terminal-actions.ts';
import { TerminalDisplay } from './terminal-display.ts';
import { PlannedFaultTrigger } from './terminal-moments.ts';
import type { TerminalDependencies, TerminalSettings } from './terminal-settings.ts';
import { ReceiptTray } from './tray.ts';

/**
 * An emulated terminal. This class contains everything that a person can do at the terminal or see on it. The terminal
 * does everything else by itself, over its link.
 */
export class EmulatedTerminal {
  readonly poiId: string;
  readonly settings: TerminalSettings;
  #dependencies: TerminalDependencies;
  #link: PoiLink;
  #host: AcquirerChannel;
  #outbox: OutcomeOutbox;
  #controller: PaymentController;
  #plannedFaults: PlannedFaultTrigger;
  #createdActions: TerminalActions | undefined;
  #powerController: PowerController;
  #display: TerminalDisplay;
  #announced = false;
  #tray = new ReceiptTray();
  #shopper: AutomaticShopper | undefined;
  #shopperLeft = false;
  #readers = new Map<string, ConnectedReader>();
  #listeners = new Set<() => void>();

  // The callbacks use parts that are made later. They run only after the constructor has made all parts.
  constructor(settings: TerminalSettings, dependencies: TerminalDependencies) {
    const { poiId, deviceKey } = settings;
    this.poiId = poiId;
    this.settings = settings;
    this.#dependencies = dependencies;
    const { url, runtime, memory, pacing } = dependencies;
    const link = new PoiLink({ url, deviceKey, poiId }, dependencies, {
      changed: (state) => this.#linkChanged(state),
      received: (message) => this.#messageReceived(message),
      unreadable: ({ header }, why) => this.#host.unreadable(header.ServiceID, why),
    });
    this.#link = link;
    this.#outbox = new OutcomeOutbox(poiId, { runtime, memory, link });
    const plannedFaults = new PlannedFaultTrigger(
      { poiId, plans: dependencies.moments, runtime },
      {
        hasPower: () => this.#powerController.state !== 'off',
        cut: (what, { moment, backMs }) => this.#actions.cutAt(moment, what, backMs),
      },
    );
    this.#plannedFaults = plannedFaults;
    this.#host = new AcquirerChannel(poiId, { runtime, memory, link, moments: plannedFaults }, (answer) =>
      this.#controller.input({ type: 'host.answered', answer }),
    );
    this.#controller = new PaymentController(
      {
        ...dependencies,
        terminal: makeTerminalIdentity(poiId),
        merchantLanguage: settings.language ?? 'en',
        host: this.#host,
        outbox: this.#outbox,
        progress: new ProgressReporter(runtime, link),
        moments: plannedFaults,
      },
      {
        changed: () => this.#changed(),
        printed: (receipt, transactionId) => this.#printed(receipt, transactionId),
        broke: (error) => this.#powerController.broke(error),
      },
    );
    this.#powerController = new PowerController(
      { poiId, runtime, startMs: pacing.startMs },
      {
        boot: () => this.#boot(),
        loseVolatile: () => this.#loseVolatile(),
        changed: () => this.#changed(),
      },
    );
    this.#display = new TerminalDisplay({
      settings,
      journal: runtime.journal,
      link,
      power: this.#powerController,
      payments: this.#controller,
    });
    this.#powerController.send({ type: 'power.on' });
  }

  /** Carries out a person's action. If this is not possible, returns the reason. */
  act(action: TerminalAction): ActionRefusal | undefined {
    return this.#afterPause(() => this.#actions.act(action));
  }

  /** Presents a card to the terminal. A card from a real reader need not be in the tray. */
  present(how: PresentingWay, card: TestCardDefinition | MaskedCard): ActionRefusal | undefined {
    return this.#afterPause(() => this.#actions.present(how, card));
  }

  /** Takes the card out of the slot. */
  remove(): ActionRefusal | undefined {
    return this.#afterPause(() => this.#actions.remove());
  }

  /** Types the number and expiry of a card from the tray, if the terminal accepts typed cards. */
  keyIn(cardId: string): ActionRefusal | undefined {
    return this.#afterPause(() => this.#actions.keyIn(cardId));
  }

  /** Returns the amount to pay now, tip included, in minor units; undefined between payments. */
  sale(): { amount: number; currency: string } | undefined {
    const payment = this.#controller.payment?.context;
    return payment && { amount: totalMinorOf(payment), currency: payment.order.currency };
  }

  screen(): Screen {
    const drawn = renderScreen(this.#display.screenInput());
    return this.#readers.size > 0 ? { ...drawn, readers: this.readers } : drawn;
  }

  /** The real card readers that are connected to the terminal, in the order in which they were connected. */
  get readers(): ConnectedReader[] {
    return [...this.#readers.values()];
  }

  /**
   * Sets what is shown beside the screen about a real reader. If `reader` is undefined, nothing is shown, because the
   * reader no longer belongs to this terminal.
   */
  showReader(name: string, reader: ConnectedReader | undefined): void {
    if (reader) this.#readers.set(name, reader);
    else this.#readers.delete(name);
    this.#changed();
  }

  /** Calls `listener` with every new screen. Returns a function that stops these calls. */
  onScreen(listener: (screen: Screen) => void): () => void {
    return this.onChange(() => listener(this.screen()));
  }

  /** Calls `listener` when the screen may have changed. The screen is not drawn for this call. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the receipts in the tray, the newest last. */
  receipts(): PrintedReceipt[] {
    return this.#tray.receipts();
  }

  /** Whether the network cable is plugged in, whether another process has the link, and the network's delay. */
  get network(): Pick<PoiLink, 'networkUp' | 'latencyMs' | 'displaced'> {
    return this.#link;
  }

  /** The step of a payment at which the terminal is paused; undefined if it is not paused. */
  get pausedAt(): PlannedFaultTrigger['pausedAt'] {
    return this.#plannedFaults.pausedAt;
  }

  /** Ends a pause. */
  continue(): void {
    this.#plannedFaults.continue();
  }

  /** The pattern in which the network goes down and comes back; undefined while the network is steady. */
  get flapping(): NetworkFlapping | undefined {
    return this.#createdActions?.flapping;
  }

  /** The automatic shopper, if there is one. */
  get shopper(): AutomaticShopperSettings | undefined {
    return this.#shopper?.settings;
  }

  /**
   * Sets the automatic shopper, which acts whenever a payment needs a shopper. With `null`, people have to act. With
   * `{ leaves: … }`, the shopper has left, and no person acts.
   */
  setShopper(settings: ShopperSetting | null): void {
    this.#shopper?.stop();
    this.#shopperLeft = settings !== null && 'leaves' in settings;
    this.#shopper =
      settings && !('leaves' in settings)
        ? new AutomaticShopper(this, settings, {
            clock: this.#dependencies.runtime.clock,
            cards: this.#dependencies.cards,
          })
        : undefined;
  }

  /** Whether the payment can continue only if a person acts, and a person can still act (B272). */
  get waitsForPerson(): boolean {
    return !this.#shopper && !this.#shopperLeft && this.#controller.waitsForPerson;
  }

  /** The ways in which a card can be presented now. */
  get entries(): EntryMode[] {
    return this.#actions.entries;
  }

  /** The state of the screen. The screen is not drawn for this. */
  get state(): ScreenState {
    return this.#display.state;
  }

  /** Identifies the prompt on the screen. If two screens have the same value, they show the same prompt. */
  get prompt(): string {
    return this.#display.prompt;
  }

  /** Pings the gateway. */
  ping(): void {
    this.#link.ping();
  }

  /** Closes the link. Everything that must not be lost is in the memory. */
  close(): void {
    this.#shopper?.stop();
    this.#createdActions?.release();
    this.#plannedFaults.close();
    this.#listeners.clear();
    this.#link.close();
    this.#host.forget();
    this.#outbox.forget();
    this.#controller.close();
    this.#powerController.stop();
  }

  /** Delays an action while the terminal is paused. If the delayed action is refused, the person is not told. */
  #afterPause(act: () => ActionRefusal | undefined): ActionRefusal | undefined {
    if (this.#plannedFaults.pausedAt === undefined) return act();
    void this.#plannedFaults.afterPause(act);
    return undefined;
  }

  /** Made when it is first needed. If a process runs ten thousand terminals, most of them never need this object. */
  get #actions(): TerminalActions {
    const { runtime, cards, moments } = this.#dependencies;
    this.#createdActions ??= new TerminalActions({
      poiId: this.poiId,
      moments,
      controller: this.#controller,
      link: this.#link,
      cards,
      clock: runtime.clock,
      state: () => this.state,
      switchPower: (on) => this.#powerController.send({ type: on ? 'power.on' : 'power.off' }),
      notify: (event) => this.#notify(event),
      journal: (kind, data) => this.#display.journal(kind, data),
    });
    return this.#createdActions;
  }

  #messageReceived(message: GatewayMessage): void | Promise<void> {
    const handle = () =>
      handleGatewayMessage(message, {
        poiId: this.poiId,
        memory: this.#dependencies.memory,
        controller: this.#controller,
        host: this.#host,
        outbox: this.#outbox,
        link: this.#link,
      });
    return this.pausedAt === undefined ? handle() : this.#plannedFaults.afterPause<void>(handle);
  }

  #boot(): void {
    this.#announced = false;
    this.#controller
      .recall()
      .then((powered) => powered && this.#link.start())
      .catch((error) => this.#warn(`the terminal cannot start: ${describeCauseForLog(error)}`));
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
    if (warning && this.#powerController.link !== to) this.#warn(warning);
    this.#powerController.send({ type: 'link.changed', to });
  }

  /** Reports an event to the gateway while there is no payment. During a payment, the progress reports do this. */
  #notify(event: EventNotification['EventToNotify']): void {
    const { clock, random } = this.#dependencies.runtime;
    if (!this.#link.up) return;
    this.#link.sendMessage('EventNotification', makeAlphanumericText(random, 10), {
      TimeStamp: isoTime(clock.now()),
      EventToNotify: event,
    });
  }

  #printed(receipt: EncodedReceipt, transactionId: string): void {
    this.#tray.put(receipt, transactionId);
    this.#display.journal('terminal.printed', { copy: toLowerCamel(receipt.qualifier) });
  }

  #changed(): void {
    this.#display.changed();
    this.#plannedFaults.entered(this.#controller.payment?.state ?? 'none');
    for (const listener of this.#listeners) listener();
  }

  #warn(message: string): void {
    this.#dependencies.runtime.journal.add('warning', { message }, { terminal: this.poiId });
  }
}
