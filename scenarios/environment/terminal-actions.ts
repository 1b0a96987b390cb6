import type { Key, Screen, ScreenState } from '../../shared/emulator/screen.ts';
import { parseMajor } from '../../shared/money.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** How long an action waits for the screen it needs, in milliseconds of the environment's clock. */
const shopperWaitMs = 10_000;

type Entry = Screen['entries'][number];

/** The states in which a person pulls the card out because that is the next step. */
export const askForRemoval: readonly ScreenState[] = [
  'removeCard',
  'chipUnreadable',
  'swipeInstead',
  'cardUnreadable',
  'cardNotAccepted',
  'approved',
  'declined',
  'cancelled',
  'printing',
  'idle',
];

/** The shopper at one terminal: each act waits until the screen asks for it. */
export class ShopperActions {
  readonly poiId: string;
  #context: ScenarioContext;
  #waitMs: number;
  /** The card of the last insert, tap or swipe; the shopper knows its PIN. */
  #card: string | undefined;

  constructor(context: ScenarioContext, poiId: string, waitMs = shopperWaitMs) {
    this.#context = context;
    this.poiId = poiId;
    this.#waitMs = waitMs;
  }

  /** Puts a card, named as in docs/cards.md, into the slot when the terminal takes one; with `unasked` it does not wait. */
  insert(card: string, options?: { unasked?: boolean }): Promise<void> {
    return this.#present('insert', 'ICC', card, options?.unasked);
  }

  /** Holds a card or phone to the terminal when it takes one that way. */
  tap(card: string, options?: { unasked?: boolean }): Promise<void> {
    return this.#present('tap', 'Contactless', card, options?.unasked);
  }

  /** Draws a card's stripe through when the terminal takes one that way. */
  swipe(card: string, options?: { unasked?: boolean }): Promise<void> {
    return this.#present('swipe', 'MagStripe', card, options?.unasked);
  }

  /** Types a number and its expiry, MMYY. */
  async keyIn(number: string, expiry: string): Promise<void> {
    await this.#takes('Keyed', 'a card to be typed in');
    await this.#act('key-in', { number, expiry });
  }

  /** Takes the card out when the terminal is through with it. */
  async remove(): Promise<void> {
    await this.until(
      (screen) => !!screen.card && askForRemoval.includes(screen.state),
      'a card to be removed',
    );
    await this.#act('remove');
  }

  /** Pulls the card out at once, whatever the terminal is doing with it. */
  async pullOut(): Promise<void> {
    await this.#act('remove');
  }

  /** Types a PIN and enter: `right` is the card's own PIN, `wrong` is another one. */
  async pin(pin: string): Promise<void> {
    await this.shows('pin');
    const typed = pin === 'right' || pin === 'wrong' ? await this.#knownPin(pin === 'right') : pin;
    await this.press([...typed, 'enter']);
  }

  /** Presses the choice with this text: `15%`, `No tip`, or the number beside it; `{custom}` types an amount. */
  async tip(choice: string | number | { custom: number }): Promise<void> {
    await this.shows('tip');
    if (typeof choice !== 'object') return this.#choose(String(choice));
    await this.#choose('custom');
    await this.shows('customTip');
    const minor = parseMajor(choice.custom, this.#context.environment.currency);
    if (typeof minor === 'string')
      throw new ScenarioError(`a tip of ${choice.custom} cannot be typed: ${minor}`);
    await this.press([...String(minor), 'enter']);
  }

  /** Chooses an application of a card by its label or the number beside it. */
  async choose(choice: string): Promise<void> {
    await this.shows('applicationChoice');
    await this.#choose(choice);
  }

  /** Presses keys as soon as the first of them has an effect. */
  async press(keys: string | readonly string[], options?: { unasked?: boolean }): Promise<void> {
    const all = typeof keys === 'string' ? keys.split(' ') : keys;
    const [first] = all;
    if (!options?.unasked)
      await this.until(({ keys }) => keys.includes(first as Key), `the key ${first} to do something`);
    await this.#act('press', { keys: all });
  }

  /** Presses the red key when it has an effect. */
  cancel(): Promise<void> {
    return this.press('cancel');
  }

  /** The terminal's present screen. */
  screen(): Promise<Screen> {
    const params = { path: { terminalId: this.poiId } };
    return this.#context.control.GET('/control/terminals/{terminalId}/screen', { params });
  }

  /** Waits until the terminal shows one of these states. */
  async shows(...states: ScreenState[]): Promise<Screen> {
    return this.until(({ state }) => states.includes(state), `the screen ${states.join(' or ')}`);
  }

  /** @throws ScenarioError that names what was waited for, and what the screen shows instead */
  until(fits: (screen: Screen) => boolean, what: string): Promise<Screen> {
    let shown: Screen | undefined;
    return this.#context.scheduler.until(
      async () => {
        const screen = await this.#context.screenOf(this.poiId);
        if (!screen) return undefined;
        shown = screen;
        return fits(shown) ? shown : undefined;
      },
      this.#waitMs,
      () =>
        new ScenarioError(`waited ${this.#waitMs / 1000} s for ${what}; ${screenSummary(this.poiId, shown)}`),
    );
  }

  async #present(way: string, entry: Entry, card: string, unasked = false): Promise<void> {
    if (!unasked) await this.#takes(entry, `a screen that takes a card by ${way}`);
    this.#card = card;
    await this.#act(way, { card });
  }

  #takes(entry: Entry, what: string): Promise<Screen> {
    return this.until(({ entries }) => entries.includes(entry), what);
  }

  async #choose(wanted: string): Promise<void> {
    const { choices } = await this.screen();
    // French and German write "15 %".
    const plain = (text: string) => text.toLowerCase().replaceAll(/\s+/g, '');
    const found =
      choices.find(({ key }) => key === wanted) ??
      (/^no(ne)?\b/i.test(wanted) ? choices.find(({ key }) => key === 'enter') : undefined) ??
      (wanted === 'custom' ? choices.findLast(({ key }) => key !== 'enter') : undefined) ??
      choices.find(({ label }) => plain(label).startsWith(plain(wanted)));
    if (!found)
      throw new ScenarioError(
        `unknown choice ${wanted}; the screen offers: ${choices.map(({ key, label }) => `[${key}] ${label}`).join(', ')}`,
      );
    await this.press([found.key]);
  }

  async #knownPin(right: boolean): Promise<string> {
    const cards = await this.#context.control.GET('/control/cards');
    const pin = cards.find(({ id }) => id === this.#card)?.pin;
    if (pin === undefined) throw new ScenarioError(`the card ${this.#card ?? '(none)'} has no PIN`);
    if (right) return pin;
    return [...pin].map((digit) => String((Number(digit) + 1) % 10)).join('');
  }

  #act(what: string, body?: unknown): Promise<unknown> {
    return this.#context.control.call('POST', `/control/terminals/${this.poiId}/${what}`, body);
  }
}

/** A screen in one line, for failures. */
export function screenSummary(poiId: string, screen: Screen | undefined): string {
  if (!screen) return `no screen of ${poiId} was seen`;
  const rest = [screen.title, screen.amount, ...screen.lines].filter(Boolean).join(' · ');
  return `${poiId} shows ${screen.state}: ${rest}${screen.card ? ` (card in the slot: ${screen.card.id})` : ''}`;
}
