import type { Screen, ScreenState, TerminalKey } from '../../shared/emulator/screen.ts';
import { majorToMinorOrFault } from '../../shared/money.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';

/** How long an action waits until the screen asks for this action, in milliseconds of the environment's clock. */
const shopperWaitMs = 10_000;

type Entry = Screen['entries'][number];

/** The states in which a person's next step is to pull the card out. */
export const cardRemovalStates: readonly ScreenState[] = [
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

/** The shopper at one terminal. Each action waits until the terminal's screen asks for this action. */
export class ShopperActions {
  /** The terminal's poi_id. */
  readonly poiId: string;
  #context: ScenarioContext;
  /** The card that was inserted, tapped or swiped last. The shopper knows this card's PIN. */
  #card: string | undefined;

  constructor(context: ScenarioContext, poiId: string) {
    this.#context = context;
    this.poiId = poiId;
  }

  /**
   * Waits until the terminal asks for a card, and puts the card into the slot. The card is named as in docs/cards.md.
   * With `unasked`, does not wait.
   *
   * @throws ScenarioError if the screen does not ask for a card within 10 s of the clock, ApiError if there is no
   * such card
   *
   * @example
   * await pinpad.terminal().insert('visa-credit');
   * await pinpad.terminal().pin('right');
   */
  insert(card: string, options?: { unasked?: boolean }): Promise<void> {
    return this.#present('insert', 'ICC', card, options?.unasked);
  }

  /**
   * Waits until the terminal asks for a tap, and holds a card or phone to the terminal. The card is named as in
   * docs/cards.md. With `unasked`, does not wait.
   *
   * @throws ScenarioError if the screen does not ask for a tap within 10 s of the clock, ApiError if there is no such
   * card
   *
   * @example
   * await pinpad.terminal().tap('visa-credit');
   */
  tap(card: string, options?: { unasked?: boolean }): Promise<void> {
    return this.#present('tap', 'Contactless', card, options?.unasked);
  }

  /**
   * Waits until the terminal asks for a swipe, and swipes a card. With `unasked`, does not wait.
   *
   * @throws ScenarioError if the screen does not ask for a swipe within 10 s of the clock, ApiError if there is no
   * such card
   *
   * @example
   * await pinpad.terminal().swipe('visa-credit');
   */
  swipe(card: string, options?: { unasked?: boolean }): Promise<void> {
    return this.#present('swipe', 'MagStripe', card, options?.unasked);
  }

  /**
   * Waits until the terminal accepts typed cards, and types a card's number and its expiry, MMYY.
   *
   * @throws ScenarioError if the screen does not accept typed cards within 10 s of the clock
   *
   * @example
   * await pinpad.terminal().keyIn('4111111111111111', '1230');
   */
  async keyIn(number: string, expiry: string): Promise<void> {
    await this.#takes('Keyed', 'a screen that accepts a typed card number');
    await this.#act('key-in', { number, expiry });
  }

  /**
   * Waits until the terminal has finished with the card, and takes the card out.
   *
   * @throws ScenarioError if the screen does not ask for the removal within 10 s of the clock
   *
   * @example
   * await pinpad.terminal().insert('visa-credit');
   * await pinpad.terminal().pin('right');
   * await pinpad.terminal().remove();
   */
  async remove(): Promise<void> {
    await this.until(
      (screen) => !!screen.card && cardRemovalStates.includes(screen.state),
      'a screen that asks to remove the card',
    );
    await this.#act('remove');
  }

  /**
   * Pulls the card out at once, even if the terminal still uses the card.
   *
   * @throws ApiError if no card is in the slot
   *
   * @example
   * await pinpad.terminal().insert('visa-credit');
   * await pinpad.terminal().pullOut();
   */
  async pullOut(): Promise<void> {
    await this.#act('remove');
  }

  /**
   * Waits until the terminal asks for a PIN, and types a PIN and enter. `right` is the card's own PIN, `wrong` is
   * another PIN.
   *
   * @throws ScenarioError if the screen does not ask for a PIN within 10 s of the clock, or if the card has no PIN
   *
   * @example
   * await pinpad.terminal().insert('visa-credit');
   * await pinpad.terminal().pin('wrong');
   * await pinpad.terminal().pin('1234');
   */
  async pin(pin: string): Promise<void> {
    await this.shows('pin');
    const typed = pin === 'right' || pin === 'wrong' ? await this.#knownPin(pin === 'right') : pin;
    await this.press([...typed, 'enter']);
  }

  /**
   * Chooses a tip by its text, such as `15%` or `No tip`, or by the number beside the text. `{ custom: 2.5 }` types
   * an amount in major units.
   *
   * @throws ScenarioError if the screen does not ask for a tip within 10 s of the clock, or does not offer this tip
   *
   * @example
   * await pinpad.pos.pay({ amount: 20, tip: [10, 15] });
   * await pinpad.terminal().tip('15%');
   */
  async tip(choice: string | number | { custom: number }): Promise<void> {
    await this.shows('tip');
    if (typeof choice !== 'object') return this.#choose(String(choice));
    await this.#choose('custom');
    await this.shows('customTip');
    const minor = majorToMinorOrFault(choice.custom, this.#context.environment.currency);
    if (typeof minor === 'string')
      throw new ScenarioError(`a tip of ${choice.custom} cannot be typed: ${minor}`);
    await this.press([...String(minor), 'enter']);
  }

  /**
   * Chooses an application of a card by its label or by the number beside the label.
   *
   * @throws ScenarioError if the screen does not ask for an application within 10 s of the clock, or does not offer
   * this application
   *
   * @example
   * await pinpad.terminal().insert('credit-debit');
   * await pinpad.terminal().choose('2');
   */
  async choose(choice: string): Promise<void> {
    await this.shows('applicationChoice');
    await this.#choose(choice);
  }

  /**
   * Waits until the terminal accepts the first of these keys, and then presses all of them. The keys are a list, or a
   * text with spaces between the keys. With `unasked`, does not wait.
   *
   * @throws ScenarioError if the first key has no effect within 10 s of the clock
   *
   * @example
   * await pinpad.terminal().press('1 2 3 4 enter');
   */
  async press(keys: string | readonly string[], options?: { unasked?: boolean }): Promise<void> {
    const all = typeof keys === 'string' ? keys.split(' ') : keys;
    const [first] = all;
    if (!options?.unasked)
      await this.until(
        ({ keys }) => keys.includes(first as TerminalKey),
        `the key ${first} to have an effect`,
      );
    await this.#act('press', { keys: all });
  }

  /**
   * Waits until the terminal accepts the red key, and then presses the key.
   *
   * @throws ScenarioError if the key has no effect within 10 s of the clock
   *
   * @example
   * await pinpad.terminal().cancel();
   */
  cancel(): Promise<void> {
    return this.press('cancel');
  }

  /**
   * Returns the terminal's present screen.
   *
   * @throws ApiError if the terminal is not connected
   *
   * @example
   * const { state, lines } = await pinpad.terminal().screen();
   */
  screen(): Promise<Screen> {
    const params = { path: { terminalId: this.poiId } };
    return this.#context.control.GET('/control/terminals/{terminalId}/screen', { params });
  }

  /**
   * Waits until the terminal's screen is in one of these states, and returns the screen.
   *
   * @throws ScenarioError if the screen comes to none of these states within 10 s of the clock
   *
   * @example
   * await pinpad.pos.pay({ amount: 12.5, tip: true });
   * await pinpad.terminal().shows('tip', 'presentCard');
   */
  async shows(...states: ScreenState[]): Promise<Screen> {
    return this.until(({ state }) => states.includes(state), `the screen ${states.join(' or ')}`);
  }

  /**
   * Waits until the terminal shows a screen for which `fits` returns true, and returns this screen. `what` describes
   * such a screen for the error.
   *
   * @throws ScenarioError after 10 s of the clock. The error names `what`, and says what the screen shows instead
   *
   * @example
   * await pinpad.terminal().until(({ amount }) => amount !== undefined, 'an amount');
   */
  until(fits: (screen: Screen) => boolean, what: string): Promise<Screen> {
    let shown: Screen | undefined;
    return this.#context.scheduler.until(
      async () => {
        const screen = await this.#context.screenOf(this.poiId);
        if (!screen) return undefined;
        shown = screen;
        return fits(shown) ? shown : undefined;
      },
      shopperWaitMs,
      () =>
        new ScenarioError(
          `waited ${shopperWaitMs / 1000} s for ${what}; ${describeScreen(this.poiId, shown)}`,
        ),
    );
  }

  async #present(way: string, entry: Entry, card: string, unasked = false): Promise<void> {
    if (!unasked) await this.#takes(entry, `a screen that accepts a card by ${way}`);
    this.#card = card;
    await this.#act(way, { card });
  }

  #takes(entry: Entry, what: string): Promise<Screen> {
    return this.until(({ entries }) => entries.includes(entry), what);
  }

  async #choose(wanted: string): Promise<void> {
    const { choices } = await this.screen();
    // French and German write "15 %", with a space.
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

/** Describes a screen in one line, for failure messages. */
export function describeScreen(poiId: string, screen: Screen | undefined): string {
  if (!screen) return `no screen of ${poiId} was seen`;
  const rest = [screen.title, screen.amount, ...screen.lines].filter(Boolean).join(' · ');
  return `${poiId} shows ${screen.state}: ${rest}${screen.card ? ` (card in the slot: ${screen.card.id})` : ''}`;
}
