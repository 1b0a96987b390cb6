import type { MomentName } from '../../shared/moments.ts';
import type { HttpAnswer, Result, StackHarness } from '../stack/stack-harness.ts';

/** A way to pay: what the shopper does at whatever the terminal asks. */
export interface Way {
  readonly card: string;
  readonly by: 'tap' | 'insert' | 'swipe' | 'keyIn';
  readonly amount?: number;
  /** A tip of one's own instead of none. */
  readonly ownTip?: true;
  /** The first PIN that is typed is wrong. */
  readonly firstWrong?: true;
  /** Presses cancel in place of presenting a card. */
  readonly cancels?: true;
  /** What the host does with it. */
  readonly host?: object;
}

/** The four ways in which most payments are made. */
export const ways: Readonly<Record<string, Way>> = {
  'a tap': { card: 'visa-credit', by: 'tap' },
  'a chip with its PIN': { card: 'visa-credit', by: 'insert' },
  'a swipe': { card: 'stripe-only', by: 'swipe' },
  'a typed number': { card: 'typed', by: 'keyIn' },
};

/** Those that come to the other moments, and to which of them. */
export const rareWays: Readonly<Record<string, Way & { to: readonly MomentName[] }>> = {
  'a tip of their own': { card: 'visa-credit', by: 'tap', ownTip: true, to: ['customTip'] },
  'a chip that cannot be read': { card: 'chip-dead', by: 'insert', to: ['chipUnreadable', 'swipeInstead'] },
  'a tap above the limit': { card: 'visa-credit', by: 'tap', amount: 60, to: ['insertInstead'] },
  'a stripe that cannot be read': { card: 'stripe-dead', by: 'swipe', to: ['cardUnreadable'] },
  'one card of two applications': { card: 'credit-debit', by: 'insert', to: ['applicationChoice'] },
  'a wrong PIN before the right one': {
    card: 'visa-credit',
    by: 'insert',
    firstWrong: true,
    to: ['pinWrong'],
  },
  'a card that is declined': {
    ...{ card: 'do-not-honour', by: 'tap' },
    to: ['before.settled', 'after.settled', 'declined'],
  },
  'the cancel key': { card: 'visa-credit', by: 'tap', cancels: true, to: ['cancelled'] },
  'an expired card': { card: 'expired', by: 'insert', to: ['cardNotAccepted', 'removeCard'] },
  'a host that says nothing': {
    ...{ card: 'visa-credit', by: 'tap', host: { type: 'silent' } },
    to: ['before.reversed', 'after.reversed'],
  },
};

const stepMs = 500;
/** In virtual time: a payment that nobody ends is given up after 190 s. */
const longestMs = 400_000;

/** What became of a payment: its answer, or that of its key where the answer was a 303 or never came. */
export interface Paid {
  readonly result: Result;
  readonly acknowledged: boolean;
}

let payments = 0;

/** Requests a payment and plays its shopper, who knows of no faults, until it has an answer and the terminal is idle. */
export async function payBy(harness: StackHarness, way: Way): Promise<Paid> {
  const key = `paid-${payments++}`;
  if (way.host) await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, { outcome: way.host });
  let answer: HttpAnswer | undefined;
  let failed: unknown;
  const shopper = new Shopper(harness, way);
  const body = { gratuity: { enabled: true } };
  const paying = harness.pay(way.amount ?? 10, body, { 'idempotency-key': key }).then(
    (given) => {
      answer = given;
    },
    (error: unknown) => {
      failed = error;
    },
  );
  for (let waited = 0; waited < longestMs; waited += stepMs) {
    await harness.settled();
    shopper.look();
    if ((answer || failed) && shopper.isThrough) break;
    await harness.clock.advance(stepMs);
  }
  await paying;
  const { body: result } = await harness.http('GET', `/payment-requests/status?idempotencyKey=${key}`);
  if (answer?.status === 200 && JSON.stringify(answer.body) !== JSON.stringify(result))
    throw new Error(`the answer was ${JSON.stringify(answer.body)}, and is ${JSON.stringify(result)}`);
  return { result, acknowledged: answer?.status === 200 };
}

/** What a payment came to, in a word. */
export function outcomeOf({ response }: Result): string {
  return response.errorCondition ?? response.result;
}

class Shopper {
  readonly #harness: StackHarness;
  #way: Way;
  #began = false;

  constructor(harness: StackHarness, way: Way) {
    this.#harness = harness;
    this.#way = way;
  }

  get #terminal() {
    const terminal = this.#harness.stack.emulator?.terminal(this.#harness.poiId);
    if (!terminal) throw new Error('there is no terminal');
    return terminal;
  }

  get isThrough(): boolean {
    return this.#began && this.#terminal.state === 'idle';
  }

  look(): void {
    const { state } = this.#terminal;
    if (state !== 'idle') this.#began = true;
    if (state === 'tip') this.#press(...(this.#way.ownTip ? ['4'] : ['enter']));
    else if (state === 'customTip') this.#press('1', '0', '0', 'enter');
    else if (state === 'presentCard') this.#present();
    else if (state === 'insertInstead') this.#act('insert');
    else if (state === 'swipeInstead') this.#act('swipe');
    else if (state === 'applicationChoice') this.#press('1');
    else if (state === 'pin') this.#pin();
    else if (state === 'chipUnreadable' && !this.#terminal.screen().card) this.#act('insert');
    else if (this.#terminal.screen().card && /^(chipUnreadable|removeCard|idle)$/.test(state)) this.#remove();
  }

  #present(): void {
    const { cancels, by, card } = this.#way;
    if (cancels) this.#press('cancel');
    else if (this.#terminal.screen().card) this.#remove();
    else this.#act(by);
    // Where a stripe cannot be read, the number is typed the next time.
    if (card === 'stripe-dead') this.#way = { ...this.#way, by: 'keyIn' };
  }

  #pin(): void {
    const digits = this.#way.firstWrong ? '9999' : '1234';
    this.#way = { ...this.#way, firstWrong: undefined };
    this.#press(...digits, 'enter');
  }

  #remove(): void {
    this.#terminal.act({ action: 'remove' });
  }

  #press(...keys: string[]): void {
    this.#terminal.act({ action: 'press', keys: keys as never });
  }

  /** A refusal is none of the shopper's business: the screen may ask for something else by then. */
  #act(action: Way['by']): void {
    this.#terminal.act({ action, card: this.#way.card });
  }
}
