import { expect, test } from 'vitest';
import { instantPacing, naturalPacing } from './pacing.ts';
import { makePaymentMachine } from './payment.machine.ts';

/** Lists what each state of the machine waits for. A new state has to be listed, too (B272). */
const waitsFor = {
  person: [
    ...['tip', 'customTip', 'presentCard', 'keyedNumber', 'keyedExpiry', 'chipUnreadable', 'swipeInstead'],
    ...['insertInstead', 'applicationChoice', 'pin', 'removeCard'],
  ],
  host: ['authorizing'],
  pause: [
    ...['readingCard', 'cardUnreadable', 'pinWrong', 'approved', 'declined', 'cancelled'],
    ...['cardNotAccepted', 'printing'],
  ],
  nobody: ['waiting'],
  passing: ['identifying', 'cardRead', 'checkingPin', 'ended'],
};

test.for([
  ['natural', naturalPacing],
  ['instant', instantPacing],
] as const)('each state says what it waits for, at %s pacing (B272)', ([, pacing]) => {
  const { states } = makePaymentMachine(pacing);
  const said = Object.entries(states).map(([name, { tags }]) => [name, [...tags]]);
  const listed = Object.entries(waitsFor).flatMap(([tag, names]) => names.map((name) => [name, [tag]]));
  expect(said.toSorted()).toEqual(listed.toSorted());
});

/** The events that people cause. */
const byPeople = ['key', 'inserted', 'tapped', 'swiped'];
/** In the state `removeCard`, no key continues the payment. The payment continues only when the card is removed. */
const isBroughtOnBy = (name: string, events: string[]) =>
  name === 'removeCard' ? events.includes('removed') : events.some((event) => byPeople.includes(event));

test('a state that waits for a person accepts a key, an entry mode or a removal that leads on (B272)', () => {
  const { states } = makePaymentMachine(naturalPacing);
  for (const [name, state] of Object.entries(states)) {
    if (!state.tags.includes('person')) continue;
    expect([name, isBroughtOnBy(name, state.ownEvents)]).toEqual([name, true]);
  }
});

test('a state that neither waits for a person nor is passed at once ends by itself (B272)', () => {
  const { states } = makePaymentMachine(naturalPacing);
  for (const [name, { tags, after }] of Object.entries(states)) {
    if (tags.includes('host') || tags.includes('pause')) expect([name, after.length]).not.toEqual([name, 0]);
  }
});
