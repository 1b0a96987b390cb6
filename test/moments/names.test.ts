import { expect, test } from 'vitest';
import { effectNames } from '../../gateway/payments/core/effect-names.fixture.ts';
import { commitNames } from '../../gateway/payments/core/step.ts';
import { outgoingEffectNames } from '../../gateway/payments/moving/payment-moments.ts';
import { momentNames, moments } from '../../shared/moments.ts';
import { naturalPacing } from '../../terminal-emulator/payment/pacing.ts';
import { makePaymentMachine } from '../../terminal-emulator/payment/payment.machine.ts';
import { TerminalMemory } from '../../terminal-emulator/terminal/memory.ts';

/**
 * Checks that faults can be set at every state, effect and commit of a payment. The exceptions are listed here with
 * their reasons (B280).
 */

const around = (names: readonly string[]) => names.flatMap((name) => [`before.${name}`, `after.${name}`]);
const of = (side: 'terminal' | 'gateway') => momentNames.filter((name) => moments[name].side === side);

/** States of the payment machine in which nothing can be cut, with the reasons. */
const notMoments = {
  waiting: 'there is no payment',
  identifying: 'it is passed through: nothing can come in between',
  cardRead: 'it is passed through',
  checkingPin: 'it is passed through',
  ended: 'it is passed through',
};

/**
 * For each action of the terminal's memory, the name of the step at which the action happens, or the reason why
 * there is no such step.
 */
const writes: Record<string, string | { not: string }> = {
  begin: 'begun',
  authorizing: 'attempted',
  conclude: 'settled',
  reversed: 'reversed',
  delivered: { not: 'it is written with the next write, whatever that is' },
  refused: { not: 'it counts what the gateway cannot read: no payment goes through it' },
  reversalRefused: { not: 'as with refused' },
  hold: { not: 'it is about a terminal, before any payment' },
  close: { not: 'the process ends' },
  find: { not: 'it reads' },
  recall: { not: 'it reads' },
};

/** Effects that send nothing out of the gateway. So no fault can be set before or after them. */
const inMemoryOnly: Record<string, string> = {
  journal: 'it is told to who looks on',
  arm: 'a timer, which the next life sets again by what is stored',
  disarm: 'a timer is cleared',
  watch: 'the link is pinged from now on, as long as it lasts',
  decideLate: "it waits: what the host decides then is a commit, 'authorized'",
  forget: 'a terminal is deleted, which is not a moment of a payment',
};

test('the moments of the gateway are its commits, and the effects that leave it', () => {
  expect(of('gateway').toSorted()).toEqual(around([...commitNames, ...outgoingEffectNames]).toSorted());
  expect([...outgoingEffectNames, ...Object.keys(inMemoryOnly)].toSorted()).toEqual(effectNames.toSorted());
});

test('the moments of the terminal are the states of its machine and the writes of its memory', () => {
  const states = Object.keys(makePaymentMachine(naturalPacing).config.states ?? {});
  const asMoments = states.filter((state) => !(state in notMoments));
  const written = Object.values(writes).filter((write) => typeof write === 'string');
  expect(of('terminal').toSorted()).toEqual([...asMoments, ...around(written)].toSorted());
});

test('each state that is not a moment exists, and each action of the memory is listed', () => {
  const states = Object.keys(makePaymentMachine(naturalPacing).config.states ?? {});
  expect(Object.keys(notMoments).filter((state) => !states.includes(state))).toEqual([]);
  const does = Object.getOwnPropertyNames(TerminalMemory.prototype).filter((name) => name !== 'constructor');
  expect(Object.keys(writes).toSorted()).toEqual(does.toSorted());
});
