import { expect } from 'vitest';
import type { MomentName } from '../../shared/moments.ts';
import type { StackHarness, TransactionResult } from '../stack/stack-harness.ts';

/** A way to pay. The fields say what the shopper does at each question of the terminal. */
export interface PaymentWay {
  readonly card: string;
  readonly by: 'tap' | 'insert' | 'swipe' | 'keyIn';
  readonly amount?: number;
  /** If true, the shopper types in an amount as the tip. Otherwise, the shopper gives no tip. */
  readonly ownTip?: true;
  /** Whether the first PIN that is typed is wrong. */
  readonly firstWrong?: true;
  /** Whether the shopper presses cancel instead of presenting a card. */
  readonly cancels?: true;
  /** The host's behaviour for this payment. */
  readonly host?: object;
  /** Whether the POS aborts the payment when the terminal asks for a card. */
  readonly aborted?: true;
  /**
   * The terminal is away for 10 s. With `atFirst`, the terminal is off when the payment is requested. With `atCard`,
   * the terminal's network is gone when the terminal asks for a card.
   */
  readonly away?: 'atFirst' | 'atCard';
}

/** The four usual ways to pay. */
export const usualPaymentWays: Readonly<Record<string, PaymentWay>> = {
  'a tap': { card: 'visa-credit', by: 'tap' },
  'a chip with its PIN': { card: 'visa-credit', by: 'insert' },
  'a swipe': { card: 'stripe-only', by: 'swipe' },
  'a typed number': { card: 'typed', by: 'keyIn' },
};

/** Rarer ways to pay, which reach the remaining steps. Each names the steps that it reaches. */
export const rareWays: Readonly<Record<string, PaymentWay & { to: readonly MomentName[] }>> = {
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

/** Ways to pay that reach the remaining steps of the gateway. */
export const gatewayPaymentWays: Readonly<Record<string, PaymentWay & { to: readonly MomentName[] }>> = {
  'a payment that waits for its terminal': {
    ...{ card: 'visa-credit', by: 'tap', away: 'atFirst' },
    to: ['before.delivered', 'after.delivered', 'before.deliver', 'after.deliver'],
  },
  'a terminal that is away meanwhile': {
    ...{ card: 'visa-credit', by: 'tap', away: 'atCard' },
    to: ['before.noted', 'after.noted', 'before.ask', 'after.ask', 'before.concluded', 'after.concluded'],
  },
  'an abort of the POS': {
    ...{ card: 'visa-credit', by: 'tap', aborted: true },
    to: ['before.abort', 'after.abort', 'before.concluded', 'after.answer'],
  },
};

const stepMs = 500;
/**
 * The maximum virtual time for a payment. A payment that never ends is given up after 190 s, so this is more than
 * enough.
 */
const longestMs = 400_000;

/** The outcome of a payment: from its answer, or from a status request if the answer was a 303 or never came. */
export interface PaidOutcome {
  readonly result: TransactionResult;
  /** Whether the answer to the POS's payment request was the outcome. */
  readonly answered: boolean;
}

/** How many payments each harness has made. */
const payments = new WeakMap<StackHarness, number>();

/**
 * Requests a payment as a careful POS does, and plays the shopper, who knows nothing of faults. Ends when there is an
 * outcome and the terminal is idle.
 */
export async function payBy(harness: StackHarness, way: PaymentWay): Promise<PaidOutcome> {
  const number = (payments.get(harness) ?? 0) + 1;
  payments.set(harness, number);
  const key = `paid-${number}`;
  if (way.host) await harness.control('PUT', `/terminals/${harness.poiId}/outcome`, { outcome: way.host });
  const shopper = new Shopper(harness, way);
  const absence = new Absence(harness, way);
  let paid: PaidOutcome | undefined;
  let failed: Error | undefined;
  await harness.settled();
  request(harness, way, key).then(
    (given) => {
      paid = given;
    },
    (error: Error) => {
      failed = error;
    },
  );
  for (let waited = 0; waited < longestMs && !(paid && shopper.isThrough); waited += stepMs) {
    await harness.settled();
    if (failed) throw failed;
    absence.look();
    shopper.look();
    if (way.aborted && shopper.sees('presentCard') && !shopper.hasAborted) {
      shopper.hasAborted = true;
      await harness.http('POST', '/payment-requests/abort', { idempotencyKey: key }).catch(() => {});
    }
    await harness.clock.advance(stepMs);
  }
  if (!paid || !shopper.isThrough) throw new Error(`no end: ${JSON.stringify(paid)}`);
  return paid;
}

/**
 * Requests the payment. If no answer comes, asks for the outcome of the payment with this key. If the gateway does not
 * know the key, repeats the request.
 */
async function request(harness: StackHarness, way: PaymentWay, key: string): Promise<PaidOutcome> {
  const body = { gratuity: { enabled: true } };
  const byKey = `/payment-requests/status?idempotencyKey=${key}`;
  for (let tries = 0; tries < 10; tries++) {
    const answer = await harness.pay(way.amount ?? 10, body, { 'idempotency-key': key }).catch(() => {});
    for (let asked = 0; asked < 20; asked++) {
      const known = await harness.http('GET', byKey).catch(() => {});
      if (known?.status === 404) break;
      if (known?.status !== 200) continue;
      if (answer?.status === 200) expect(answer.body).toEqual(known.body);
      return { result: known.body, answered: answer?.status === 200 };
    }
  }
  throw new Error(`nothing became of ${key}`);
}

/** Takes the terminal away for some time, and brings it back. */
class Absence {
  readonly #harness: StackHarness;
  readonly #away: PaymentWay['away'];
  #lasted = 0;

  constructor(harness: StackHarness, { away }: PaymentWay) {
    this.#harness = harness;
    this.#away = away;
    if (away === 'atFirst') this.#switch(false);
  }

  look(): void {
    const terminal = this.#harness.stack.emulator?.terminal(this.#harness.poiId);
    if (this.#lasted > 0) this.#lasted++;
    if (this.#away === 'atCard' && this.#lasted === 0 && terminal?.state === 'presentCard')
      this.#switch(false);
    if (this.#lasted === 20) this.#switch(true);
  }

  #switch(on: boolean): void {
    this.#lasted++;
    this.#harness.stack.emulator
      ?.terminal(this.#harness.poiId)
      ?.act(this.#away === 'atFirst' ? { action: 'power', on } : { action: 'network', up: on });
  }
}

/** Returns the outcome of a payment as one word. */
export function outcomeOf({ response }: TransactionResult): string {
  return response.errorCondition ?? response.result;
}

class Shopper {
  readonly #harness: StackHarness;
  #way: PaymentWay;
  #began = false;
  hasAborted = false;

  constructor(harness: StackHarness, way: PaymentWay) {
    this.#harness = harness;
    this.#way = way;
  }

  get #terminal() {
    const terminal = this.#harness.stack.emulator?.terminal(this.#harness.poiId);
    if (!terminal) throw new Error('there is no terminal');
    return terminal;
  }

  sees(state: string): boolean {
    return this.#terminal.state === state;
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
    // If the card's stripe cannot be read, the card's number is typed in next.
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

  /**
   * Acts as the shopper. If the screen shows another question when the action arrives, the terminal may refuse the
   * action. The shopper then does nothing.
   */
  #act(action: PaymentWay['by']): void {
    this.#terminal.act({ action, card: this.#way.card });
  }
}
