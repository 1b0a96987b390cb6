import type { ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { readEntryField } from '../../shared/journal-fields.ts';
import { cardRemovalStates } from '../environment/terminal-actions.ts';
import type { RecordedStepList } from './recording.ts';
import { findStandInCard, findStandInCardByMaskedPan, type StandInCard } from './test-cards.ts';
import { transientScreens } from './transient-screens.ts';

/** The screens on which a digit is part of a card's number or expiry. */
const keyingStates: readonly ScreenState[] = ['presentCard', 'keyedNumber', 'keyedExpiry'];
const pinStates: readonly ScreenState[] = ['pin', 'pinWrong'];
const takesCard: Record<string, readonly ScreenState[]> = {
  inserted: ['presentCard', 'insertInstead', 'chipUnreadable'],
  tapped: ['presentCard'],
  swiped: ['presentCard', 'swipeInstead'],
};
/**
 * The screens of a terminal without a payment. A power cut or network cut cannot interrupt anything on these screens.
 */
const quiet: readonly ScreenState[] = ['off', 'starting', 'idle', 'offline'];
const verbs: Record<string, string> = { inserted: 'insert', tapped: 'tap', swiped: 'swipe' };
/** The duration of a power cut or network cut is recorded if it is at least this many milliseconds. */
const shortestCutMs = 1_000;
/** The minimum number of digits in a PIN. */
const shortestPin = 4;

/**
 * Writes the actions at one terminal in the words of a scenario. The journal does not contain the digits of PINs and
 * card numbers. So a PIN becomes `right` or `wrong`, depending on its result, and a card number becomes the number of
 * a test card.
 */
export class TerminalRecorder {
  readonly poiId: string;
  /** The terminal's name in the scenario. Undefined if the scenario has only one terminal. */
  readonly name: string | undefined;
  /**
   * Whether an action happened on a screen that disappears after a short time. If so, the scenario's terminals must
   * run at natural speed, so that the screen stays long enough.
   */
  hadToBeQuick = false;
  #entries: readonly JournalEntry[];
  #recording: RecordedStepList;
  #state: ScreenState = 'idle';
  #typed = 0;
  #keyedNumber = false;
  /** The `press` step to which further keys on the same screen are added. */
  #press: { keys: string[]; step: Record<string, unknown> } | undefined;

  /** @param entries all entries of the recording. The recorder also looks ahead at later entries of its terminal */
  constructor(
    poiId: string,
    name: string | undefined,
    entries: readonly JournalEntry[],
    recording: RecordedStepList,
  ) {
    this.poiId = poiId;
    this.name = name;
    this.#entries = entries.filter(({ terminal }) => terminal === poiId);
    this.#recording = recording;
  }

  get state(): ScreenState {
    return this.#state;
  }

  see(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'terminal.screen':
        return this.#screen(entry);
      case 'terminal.key':
        return this.#key(entry);
      case 'terminal.card':
        return this.#card(entry);
      case 'terminal.power':
        return this.#power(entry);
      case 'terminal.network':
        return this.#network(entry);
    }
  }

  #screen(entry: JournalEntry<'terminal.screen'>): void {
    const state = entry.data.state as ScreenState;
    if (!(keyingStates.includes(this.#state) && keyingStates.includes(state))) this.#keyedNumber = false;
    this.#state = state;
    this.#typed = 0;
    this.#press = undefined;
  }

  /**
   * Records a power cut. If the cut was planned for a moment, the same plan causes the cut in the scenario, so later
   * steps only wait for it.
   */
  #power(entry: JournalEntry<'terminal.power'>): void {
    const { at, on } = entry.data;
    if (!at) return this.#cut(entry, on, { power: on ? 'on' : 'off' });
    if (!on) this.#add(entry, { expect: { screen: 'off' } });
  }

  /**
   * Records a network cut. If the cut was planned for a moment, nothing is recorded, because the same plan causes the
   * cut in the scenario.
   */
  #network(entry: JournalEntry<'terminal.network'>): void {
    const { at, up } = entry.data;
    if (!at) this.#cut(entry, up, { network: up ? 'up' : 'down' });
  }

  /**
   * Records the beginning or the end of a power cut or network cut. The pause before the end is recorded too, because
   * the duration of the cut matters.
   */
  #cut(entry: JournalEntry, isBack: boolean, step: Record<string, unknown>): void {
    if (isBack) this.#recording.pause(entry.at, shortestCutMs);
    else this.#awaitScreen(entry);
    this.#add(entry, step);
  }

  /**
   * Adds a wait for the screen that was shown, so that the power cut or network cut happens at the same point of the
   * payment.
   */
  #awaitScreen({ at }: JournalEntry): void {
    if (quiet.includes(this.#state)) return;
    this.#press = undefined;
    if (transientScreens.includes(this.#state)) this.hadToBeQuick = true;
    const where = this.name === undefined ? {} : { terminal: this.name };
    this.#recording.expect(at, { expect: { screen: this.#state }, ...where });
  }

  #key(entry: JournalEntry<'terminal.key'>): void {
    const { key } = entry.data;
    if (key === 'power') return; // the journal entry terminal.power already records the effect of this key
    if (key === 'cancel') return this.#add(entry, 'cancel');
    if (pinStates.includes(this.#state)) return this.#pinKey(entry);
    if (keyingStates.includes(this.#state)) return this.#cardKey(entry);
    if (this.#state === 'tip') return this.#add(entry, { tip: key === 'enter' ? 'none' : key });
    if (this.#state === 'applicationChoice') return this.#add(entry, { choose: key });
    this.#pressKey(entry);
  }

  #pinKey(entry: JournalEntry<'terminal.key'>): void {
    const { key } = entry.data;
    if (key === 'digit') this.#typed++;
    else if (key === 'clear') this.#typed = Math.max(0, this.#typed - 1);
    else if (key === 'enter' && this.#typed >= shortestPin) {
      this.#typed = 0;
      this.#add(entry, { pin: this.#pinWasWrong(entry) ? 'wrong' : 'right' });
    }
  }

  /**
   * Whether the PIN was wrong. This can be seen in the terminal's later entries: it asked for the PIN again, or it
   * ended the payment.
   */
  #pinWasWrong({ seq }: JournalEntry): boolean {
    for (const next of this.#entries) {
      if (next.seq <= seq) continue;
      if (next.kind === 'terminal.key') return pinStates.includes(this.#stateAt(next.seq));
      if (next.kind === 'terminal.screen' && pinStates.includes(next.data.state as ScreenState)) return true;
      if (next.kind === 'payment.concluded') return next.data.errorCondition === 'wrongPin';
    }
    return false;
  }

  #stateAt(seq: number): ScreenState {
    const screen = this.#entries.findLast((entry) => entry.seq < seq && entry.kind === 'terminal.screen');
    return screen?.kind === 'terminal.screen' ? (screen.data.state as ScreenState) : this.#state;
  }

  /**
   * Handles the keys with which a card is typed. They are the digits of the number, enter, the digits of the expiry,
   * and enter.
   */
  #cardKey(entry: JournalEntry<'terminal.key'>): void {
    if (entry.data.key !== 'enter') return;
    if (!this.#keyedNumber) {
      this.#keyedNumber = true;
      return;
    }
    this.#keyedNumber = false;
    const { card, remark } = findStandInCardByMaskedPan(this.#answerTo(entry));
    this.#add(entry, { 'key in': `${card.number} ${card.expiry}` }, remark);
  }

  #card(entry: JournalEntry<'terminal.card'>): void {
    const { action, card: id } = entry.data;
    if (action === 'removed') {
      const asked = cardRemovalStates.includes(this.#state);
      if (!asked) this.#awaitScreen(entry);
      return this.#add(entry, asked ? 'remove' : 'pull out');
    }
    const verb = verbs[action];
    if (!verb) return;
    const { card, remark }: StandInCard = findStandInCard(id, action, this.#answerTo(entry));
    const asked = takesCard[action]?.includes(this.#state);
    this.#add(entry, { [verb]: card.id, ...(asked ? {} : { unasked: true }) }, remark);
  }

  /**
   * Returns the body of the first PaymentResponse after an entry. This body contains the card's brand and masked
   * number. If the entry's payment got no response, this is the response of a later payment.
   */
  #answerTo({ seq }: JournalEntry): unknown {
    const response = this.#entries.find(
      (entry) =>
        entry.seq > seq && entry.kind === 'message.received' && entry.data.message === 'PaymentResponse',
    );
    return response && readEntryField(response, 'body');
  }

  #pressKey(entry: JournalEntry<'terminal.key'>): void {
    const { key } = entry.data;
    if (this.#press) {
      this.#press.keys.push(key);
      this.#press.step.press = this.#press.keys.join(' ');
      return;
    }
    const at = this.name === undefined ? {} : { terminal: this.name };
    const step: Record<string, unknown> = { press: key, ...at };
    this.#press = { keys: [key], step };
    this.#recording.add(entry.at, step);
  }

  #add(entry: JournalEntry, step: string | Record<string, unknown>, remark?: string): void {
    this.#press = undefined;
    this.#recording.add(entry.at, this.#here(step), remark);
  }

  #here(step: string | Record<string, unknown>): string | Record<string, unknown> {
    if (this.name === undefined) return step;
    return typeof step === 'string'
      ? { [step]: true, terminal: this.name }
      : { ...step, terminal: this.name };
  }
}
