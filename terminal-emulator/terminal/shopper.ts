import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import type { AutomaticShopperSettings, TerminalAction } from '../../shared/emulator/frames.ts';
import type { Screen, ScreenState, TerminalKey } from '../../shared/emulator/screen.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import type { CardCatalogue } from '../cards/catalogue.ts';
import { entryModesOfCard, keysToTypeCard } from '../cards/catalogue.ts';

/** The parts of a terminal that a shopper sees and uses. */
interface ShopperTerminal {
  readonly state: ScreenState;
  readonly prompt: string;
  /** The ways in which a card can be presented now. */
  readonly entries: readonly EntryMode[];
  /** Renders the present screen at each call. */
  screen(): Screen;
  act(action: TerminalAction): void;
  /** Calls `listener` after every change. Returns a function that stops these calls. */
  onChange(listener: () => void): () => void;
}

interface ShopperParts {
  clock: Clock;
  cards: CardCatalogue;
}

/**
 * Pays whenever the terminal needs the shopper. For each prompt, looks at the screen, waits as long as a shopper
 * would think, and acts once.
 */
export class AutomaticShopper {
  #terminal: ShopperTerminal;
  readonly settings: AutomaticShopperSettings;
  readonly #parts: ShopperParts;
  #stopWatching: () => void;
  #seen = '';
  #thinking: TimerHandle | undefined;

  constructor(terminal: ShopperTerminal, settings: AutomaticShopperSettings, parts: ShopperParts) {
    this.#terminal = terminal;
    this.settings = settings;
    this.#parts = parts;
    this.#stopWatching = terminal.onChange(() => this.#look());
    this.#look();
  }

  stop(): void {
    this.#stopWatching();
    this.#parts.clock.clearTimeout(this.#thinking);
    this.#seen = 'stopped';
  }

  #look(): void {
    const prompt = this.#terminal.prompt;
    if (prompt === this.#seen || this.#seen === 'stopped') return;
    this.#seen = prompt;
    this.#parts.clock.clearTimeout(this.#thinking);
    const deed = this.settings.at?.[this.#terminal.state];
    if (deed?.does === 'leaves') return this.stop();
    const answer = (): TerminalAction[] =>
      deed?.does === 'pullsCard' ? [{ action: 'remove' }] : this.#answer();
    const act = () => {
      if (this.#seen === prompt) for (const action of answer()) this.#terminal.act(action);
    };
    const thinkMs = deed?.does === 'waits' ? deed.ms : this.settings.thinkMs;
    if (thinkMs === 0) queueMicrotask(act);
    else this.#thinking = this.#parts.clock.setTimeout(act, thinkMs);
  }

  /**
   * Returns the actions that the shopper takes at the present screen. The action that removes a card has no effect if
   * the slot is empty.
   */
  #answer(): TerminalAction[] {
    const { card, tip, pin } = this.settings;
    const pocket = this.#parts.cards.get(card);
    if (!pocket) return [];
    switch (this.#terminal.state) {
      case 'tip':
        return [press(...this.#tipKeys(tip))];
      case 'customTip':
        return [press('enter')];
      case 'presentCard':
        return this.#present(pocket);
      case 'insertInstead':
        return [{ action: 'insert', card }];
      case 'chipUnreadable':
        return [{ action: 'remove' }, { action: 'insert', card }];
      case 'swipeInstead':
        return [{ action: 'remove' }, { action: 'swipe', card }];
      case 'applicationChoice':
        return [press('1')];
      case 'pin':
        return [press(...digits(pin ?? pocket.pin ?? '1234'), 'enter')];
      case 'removeCard':
        return [{ action: 'remove' }];
      default:
        return [];
    }
  }

  #tipKeys(tip: AutomaticShopperSettings['tip']): TerminalKey[] {
    if (tip === 'none') return ['enter'];
    const choice = this.#terminal.screen().choices.find(({ key }) => key === tip);
    return [choice?.key ?? 'enter'];
  }

  /**
   * Presents the card in the way that the shopper prefers. If that is not possible, presents the card in another way
   * that both the card and the terminal support.
   */
  #present(card: TestCardDefinition): TerminalAction[] {
    const offered = this.#terminal.entries;
    const able = entryModesOfCard(card).filter((entry) => offered.includes(entry));
    const entry = able.includes(this.settings.entry) ? this.settings.entry : able[0];
    return entry ? [presentBy(entry, card)] : [];
  }
}

function presentBy(entry: EntryMode, card: TestCardDefinition): TerminalAction {
  if (entry === 'Keyed') return press(...keysToTypeCard(card));
  return {
    action: ({ ICC: 'insert', Contactless: 'tap', MagStripe: 'swipe' } as const)[entry],
    card: card.id,
  };
}

function press(...keys: TerminalKey[]): TerminalAction {
  return { action: 'press', keys };
}

function digits(text: string): TerminalKey[] {
  return [...text] as TerminalKey[];
}
