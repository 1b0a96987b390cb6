import type { ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalDataByKind, JournalKind } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { TapFailure } from '../cards/presented-card.ts';
import type { ScreenFacts } from '../screens/screen-facts.ts';
import type { PaymentController } from './payment-controller.ts';
import type { PoiLink } from './poi-link.ts';
import type { PowerController } from './power-controller.ts';
import type { TerminalSettings } from './terminal-settings.ts';
import {
  idleScreenForJournal,
  makeTerminalScreenFacts,
  screenForJournal,
  toPaymentScreenState,
} from './terminal-view.ts';

interface TerminalDisplayParts {
  readonly settings: TerminalSettings;
  readonly journal: Runtime['journal'];
  readonly link: Pick<PoiLink, 'up'>;
  readonly power: Pick<PowerController, 'state' | 'link'>;
  readonly payments: Pick<PaymentController, 'payment' | 'slot'>;
}

/** The facts about the terminal that were last reported to the journal. */
interface Reported {
  readonly device: string;
  readonly screen: ScreenState;
  readonly tapFailure: TapFailure | undefined;
  /** The payment's ServiceID. */
  readonly payment: string | undefined;
}

/**
 * Determines what a terminal shows. Whenever it is asked, it reads the state of the terminal's two state machines. Adds
 * an entry to the journal when the screen changes.
 */
export class TerminalDisplay {
  #parts: TerminalDisplayParts;
  #reported: Reported = { device: 'off', screen: 'off', tapFailure: undefined, payment: undefined };

  constructor(parts: TerminalDisplayParts) {
    this.#parts = parts;
  }

  /**
   * The state of the screen. After the terminal has started, the state depends on the payment. If there is no
   * payment, it depends on the card in the slot.
   */
  get state(): ScreenState {
    const { power, payments } = this.#parts;
    const state = power.state;
    if (state === 'off' || state === 'starting') return state;
    const { payment } = payments;
    if (payment) return toPaymentScreenState(payment.state);
    return payments.slot ? 'removeCard' : state;
  }

  /** Identifies the prompt on the screen. If two screens have the same value, they show the same prompt. */
  get prompt(): string {
    const { payments } = this.#parts;
    const payment = payments.payment?.context;
    const slot = payments.slot ? 'card' : '';
    return `${this.state} ${payment?.order.sale.serviceId} ${payment?.triesLeft} ${payment?.chipFailures} ${slot}`;
  }

  screenInput(): ScreenFacts {
    const { settings, link, power, payments } = this.#parts;
    return makeTerminalScreenFacts(settings, {
      state: this.state,
      power: power.state !== 'off',
      network: link.up,
      keyRefused: power.link === 'refused',
      payment: payments.payment?.context,
      card: payments.slot?.card,
    });
  }

  /** Must be called whenever the terminal's screen may have changed. */
  changed(): void {
    const { power, payments } = this.#parts;
    const { state } = power;
    const payment = payments.payment?.context;
    const paying = payment && state !== 'off' && state !== 'starting';
    const tapFailure = payment?.tapFailure;
    const told = this.#reported;
    const next = payment?.order.sale.serviceId;
    this.#reported = { device: paying ? 'paying' : state, screen: this.state, tapFailure, payment: next };
    // If two reversals follow each other and each of them fails at once, both have the same screen. So the first screen
    // of each payment gets an entry even if the screen has not changed.
    const isNext = next !== undefined && next !== told.payment;
    if (told.device !== this.#reported.device)
      this.journal('terminal.state', { state: this.#reported.device });
    if (told.screen !== this.#reported.screen || isNext || (tapFailure && tapFailure !== told.tapFailure))
      this.#journalScreen();
  }

  /** Adds an entry about the terminal to the journal. If there is a payment, the entry is also about the payment. */
  journal<K extends JournalKind>(kind: K, data: JournalDataByKind[K]): void {
    this.#parts.journal.add(kind, data, this.#about());
  }

  /** Adds the screen to the journal, but not what the user typed. The screen is drawn only when the entry is read. */
  #journalScreen(): void {
    const { settings, journal, payments } = this.#parts;
    if (!payments.payment) {
      const { language = 'en' } = settings;
      return this.journal('terminal.screen', idleScreenForJournal(this.state, language));
    }
    const input = { ...this.screenInput(), typed: undefined };
    journal.addDrawn('terminal.screen', input, screenForJournal, this.#about());
  }

  #about(): { terminal: string; payment?: string } {
    const { settings, payments } = this.#parts;
    return { terminal: settings.poiId, payment: payments.payment?.context.order.sale.transactionId };
  }
}
