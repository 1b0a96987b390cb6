import { expect, test } from 'vitest';
import { defaultTimeouts } from '../../../shared/timeouts.ts';
import { makeAcceptedInput } from '../../../test/histories/inputs.ts';
import { defaultAmountEndingRefusals } from '../../acquirer/amount-endings.ts';
import { decide } from './lifecycle.ts';
import { makeDeliveredState, makeWaitingState } from './states.ts';
import type { PaymentFacts } from './step.ts';

/**
 * Which work is due depends on whether the terminal is connected. The connection may already have ended although the
 * gateway has not handled this yet.
 */

const { payment } = makeAcceptedInput('p1', 2_500, null, 0, 0);
const state = makeDeliveredState(makeWaitingState(payment), 0);
const pastCap = defaultTimeouts.paymentCapMs;

function at(monotonic: number, connected: boolean): PaymentFacts {
  const outcomes = { payment: undefined, terminal: undefined };
  const magicAmounts = { on: true, setBy: 'account' } as const;
  const dice = { reference: () => 'R', approvalCode: () => '1' } as never;
  return {
    now: monotonic,
    monotonic,
    timeouts: defaultTimeouts,
    connected,
    stored: undefined,
    dice,
    outcomes,
    magicAmounts,
    amountEndings: defaultAmountEndingRefusals,
  };
}

test('after the time limit a connected terminal is asked, and given up if it does not answer (B66)', () => {
  const { state: next, effects } = decide(state, { is: 'due' }, at(pastCap, true));
  expect(next).toMatchObject({
    is: 'delivered',
    patience: { giveUpAt: pastCap + defaultTimeouts.lostAfterLossMs },
  });
  expect(effects).toContainEqual(expect.objectContaining({ do: 'ask' }));
});

test('after the time limit a terminal whose link ended is lost, even if it is back before that is processed (B65)', () => {
  const { state: lost } = decide(state, { is: 'due' }, at(pastCap, false));
  expect(lost.is).toBe('lost');
  const { state: ended } = decide(lost, { is: 'linkDown' }, at(pastCap, true));
  const { state: back } = decide(ended, { is: 'linkUp' }, at(pastCap, true));
  expect(back).toMatchObject({ is: 'lost', giveUpAt: expect.any(Number) });
});

test('before the time limit nothing is due', () => {
  const { state: next, effects } = decide(state, { is: 'due' }, at(pastCap - 1, false));
  expect({ next, effects }).toEqual({ next: state, effects: [] });
});
