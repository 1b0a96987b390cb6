import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import {
  type ActionRefusal,
  type NetworkFlapping as Pattern,
  type PowerCut,
  powerCutMoments,
  type TerminalAction,
} from '../../shared/emulator/frames.ts';
import type { ScreenState, TerminalKey } from '../../shared/emulator/screen.ts';
import type { JournalDataByKind, JournalKind } from '../../shared/journal.ts';
import { type MomentPlans, makePowerCutPlan } from '../../shared/moment-plans.ts';
import type { EventNotification } from '../../shared/nexo/bodies.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { type CardCatalogue, keysToTypeCard } from '../cards/catalogue.ts';
import { type MaskedCard, toPresentedCard } from '../cards/presented-card.ts';
import { NetworkFlapper } from './flapping.ts';
import type { PaymentController } from './payment-controller.ts';
import type { PoiLink } from './poi-link.ts';
import { findOfferedEntryModes } from './terminal-view.ts';

export type PresentingWay = 'insert' | 'tap' | 'swipe';

interface TerminalActionsParts {
  readonly poiId: string;
  readonly moments: MomentPlans;
  readonly controller: PaymentController;
  readonly link: PoiLink;
  readonly cards: CardCatalogue;
  readonly clock: Clock;
  readonly state: () => ScreenState;
  readonly switchPower: (on: boolean) => void;
  readonly notify: (event: EventNotification['EventToNotify']) => void;
  readonly journal: <K extends JournalKind>(kind: K, data: JournalDataByKind[K]) => void;
}

const events = { insert: 'inserted', tap: 'tapped', swipe: 'swiped' } as const;
const ways = { insert: 'ICC', tap: 'Contactless', swipe: 'MagStripe' } as const;

/**
 * Returns the refusal for a card that is not in the tray. The message says where the user can find the list of cards.
 */
export const makeNotInTrayRefusal = (id: string): ActionRefusal => ({
  code: 'unknownCard',
  message: `card ${id} is not in the tray: docs/cards.md lists the usual cards, and GET /control/cards lists the cards of this gateway. Saved cards have other ids`,
});

/**
 * The screens on which digits belong to a card number or a PIN. On these screens, the journal shows the word "digit"
 * instead of the digit.
 */
const secretStates = new Set<ScreenState>(['presentCard', 'keyedNumber', 'keyedExpiry', 'pin', 'pinWrong']);

/**
 * Carries out the actions of a shopper, an operator or a fault at one terminal. If an action is refused, the result
 * contains the reason.
 */
export class TerminalActions {
  #parts: TerminalActionsParts;
  #flapping: NetworkFlapper;
  /** The timers that end a power cut or a network cut after a while. */
  readonly #cutTimers: { power?: TimerHandle; network?: TimerHandle } = {};

  constructor(parts: TerminalActionsParts) {
    this.#parts = parts;
    this.#flapping = new NetworkFlapper(
      parts.clock,
      (up) => this.#switchNetwork(up),
      (pattern) => parts.journal('terminal.flapping', pattern ?? { times: 0 }),
    );
  }

  /** The pattern in which the network goes down and comes back; undefined while the network is steady. */
  get flapping(): Pattern | undefined {
    return this.#flapping.pattern;
  }

  /** Stops the network's pattern and the timers. */
  release(): void {
    this.#flapping.stop();
    for (const what of ['power', 'network'] as const) this.#stopCutTimer(what);
  }

  /**
   * Cuts the power or the network at a step of a payment. The cut ends after `backMs`. If `backMs` is undefined, a
   * person has to end the cut.
   */
  cutAt(moment: string, what: 'power' | 'network', backMs: number | undefined): void {
    if (what === 'power') this.#setPower(false, moment);
    else this.#setNetwork(false, moment);
    if (backMs === undefined) return;
    this.#cutTimers[what] = this.#parts.clock.setTimeout(
      () => (what === 'power' ? this.#setPower(true, moment) : this.#setNetwork(true, moment)),
      backMs,
    );
  }

  #stopCutTimer(what: 'power' | 'network'): void {
    this.#parts.clock.clearTimeout(this.#cutTimers[what]);
    delete this.#cutTimers[what];
  }

  act(action: TerminalAction): ActionRefusal | undefined {
    switch (action.action) {
      case 'insert':
      case 'tap':
      case 'swipe':
        return this.#withCard(action.card, (card) => this.present(action.action, card));
      case 'keyIn':
        return this.keyIn(action.card);
      case 'remove':
        return this.remove();
      case 'press':
        for (const key of action.keys) this.#press(key);
        return undefined;
      case 'power':
        return this.#setPower(action.on);
      case 'planCut':
        this.#planCut(action.cut);
        return undefined;
      case 'network':
        return this.#setNetwork(action.up);
      case 'slow':
        return this.#slowDown(action.latencyMs);
      case 'flap':
        this.#flapping.start(patternOf(action));
        return undefined;
      case 'resetCard':
        return this.#resetCard(action.card);
    }
  }

  present(how: PresentingWay, card: TestCardDefinition | MaskedCard): ActionRefusal | undefined {
    const refusal = this.#whyNotPresent(how, card);
    if (refusal) return notPossible(refusal);
    const { controller, cards, clock, notify, journal } = this.#parts;
    const presented = toPresentedCard(card, cards, clock.now());
    // If the reader could not read a tap, it is not known which card was tapped. The reader has already reported this
    // failed tap.
    if (!presented.card.tapFailure) journal('terminal.card', { action: events[how], card: card.id });
    if (how === 'insert' && !controller.payment) notify('CardInserted');
    controller.input({ type: events[how], presented });
    return undefined;
  }

  remove(): ActionRefusal | undefined {
    const { controller, notify, journal } = this.#parts;
    if (!controller.slot) return notPossible('there is no card in the slot');
    journal('terminal.card', { action: 'removed', card: controller.slot.card.id });
    if (!controller.payment) notify('CardRemoved');
    controller.input({ type: 'removed' });
    return undefined;
  }

  /** Types the number and expiry of a card from the tray, each followed by enter. */
  keyIn(cardId: string): ActionRefusal | undefined {
    return this.#withCard(cardId, (card) => {
      if (!this.entries.includes('Keyed'))
        return notPossible('the terminal does not accept a typed card number now');
      return this.act({ action: 'press', keys: keysToTypeCard(card) });
    });
  }

  /** Unblocks a card. The card may come from a real reader, and is then not in the tray. */
  #resetCard(id: string): ActionRefusal | undefined {
    const { cards } = this.#parts;
    if (!cards.isBlocked(id)) return this.#withCard(id, () => undefined);
    cards.reset(id);
    return undefined;
  }

  #withCard(
    id: string,
    act: (card: TestCardDefinition) => ActionRefusal | undefined | void,
  ): ActionRefusal | undefined {
    const card = this.#parts.cards.get(id);
    if (!card) return makeNotInTrayRefusal(id);
    return act(card) ?? undefined;
  }

  /** The ways in which a card can be presented now. */
  get entries(): EntryMode[] {
    const { controller, state } = this.#parts;
    return controller.payment ? findOfferedEntryModes(state(), controller.payment.context) : [];
  }

  #whyNotPresent(how: PresentingWay, card: TestCardDefinition | MaskedCard): string | undefined {
    if (this.#parts.state() === 'off') return 'the terminal has no power';
    const slot = this.#parts.controller.slot?.card;
    if (slot && (how === 'insert' || slot.id === card.id)) return `card ${slot.id} is in the slot`;
    if (how === 'tap' && !card.contactless) return `card ${card.id} cannot be tapped`;
    if (how === 'swipe' && !card.stripe) return `card ${card.id} has no magnetic stripe`;
    const entries = this.entries;
    // A card can be pushed into the slot at any time, unless the terminal asks for a card in another way.
    if (entries.includes(ways[how]) || (how === 'insert' && entries.length === 0)) return undefined;
    return entries.length === 0
      ? 'the terminal is not asking for a card'
      : `the terminal asks for ${entries.join(' or ')}`;
  }

  #press(key: TerminalKey): void {
    const { controller, state, journal } = this.#parts;
    if (key === 'power') {
      journal('terminal.key', { key });
      this.#setPower(state() === 'off');
      return;
    }
    if (state() === 'off') return;
    journal('terminal.key', { key: secretStates.has(state()) && /^\d$/.test(key) ? 'digit' : key });
    controller.input({ type: 'key', key });
  }

  #setPower(on: boolean, at?: string): ActionRefusal | undefined {
    const { state, switchPower, journal } = this.#parts;
    this.#stopCutTimer('power');
    if (on === (state() !== 'off')) return notPossible(`the power is ${on ? 'on' : 'off'} already`);
    journal('terminal.power', at === undefined ? { on } : { on, at });
    switchPower(on);
    return undefined;
  }

  #planCut(cut: PowerCut | null): void {
    const { poiId, moments, journal } = this.#parts;
    for (const moment of powerCutMoments) moments.clear({ moment, terminal: poiId });
    if (cut) moments.set(makePowerCutPlan(poiId, cut));
    journal('terminal.cutPlanned', { ...cut });
  }

  #setNetwork(up: boolean, at?: string): ActionRefusal | undefined {
    this.#stopCutTimer('network');
    const wasFlapping = this.#flapping.stop();
    if (up === this.#parts.link.networkUp && wasFlapping) return undefined;
    if (up === this.#parts.link.networkUp) return notPossible(`the network is ${up ? 'up' : 'cut'} already`);
    this.#switchNetwork(up, at);
    return undefined;
  }

  #switchNetwork(up: boolean, at?: string): void {
    const { link, journal } = this.#parts;
    if (up === link.networkUp) return;
    journal('terminal.network', at === undefined ? { up } : { up, at });
    link.setNetwork(up);
  }

  #slowDown(latencyMs: number): undefined {
    const { link, journal } = this.#parts;
    journal('terminal.latency', { latencyMs });
    link.setLatency(latencyMs);
  }
}

function patternOf({ times, downMs, upMs }: Pattern): Pattern {
  return { times, downMs, upMs };
}

function notPossible(message: string): ActionRefusal {
  return { code: 'notPossible', message };
}
