import { expect, test } from 'vitest';
import { Journal } from '../../../shared/journal.ts';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import type { MaskedCard } from '../../cards/presented-card.ts';
import type { ReaderEntryMode } from '../reader-driver.ts';
import type { ReaderRules } from '../reader-rules.ts';
import { presentWedgeSwipe } from './wedge-swipe.ts';

const number = '4761739001010010';
const track1 = `%B${number}^DOE/JOHN^49121011184500000000000?`;
const track2 = `;${number}=49121011845888890000?`;

function setup({
  refusal = undefined as string | undefined,
  ways = [] as ReaderEntryMode[],
  rules = [] as ReaderRules,
} = {}) {
  const journal = new Journal(new VirtualClock({ startMs: 0 }));
  const cards: MaskedCard[] = [];
  const terminal = {
    poiId: 'V400m-100000001',
    present: (_how: 'swipe', card: MaskedCard) => {
      cards.push(card);
      return refusal === undefined ? undefined : { message: refusal };
    },
  };
  const swipe = (typed: string) =>
    presentWedgeSwipe(typed, { terminal, rules, ways, fingerprintKey: new Uint8Array(32), journal });
  const events = () => journal.since(0).map(({ data }) => (data as { event: string }).event);
  return { swipe, cards, events, journal };
}

test.each([
  ['both tracks', `${track1}${track2}\r`],
  ['track 1 alone', `${track1}\r`],
  ['track 2 alone', `${track2}\r`],
  ['Caps Lock', `${track1.toLowerCase()}${track2}\r`],
])('%s: the card is presented to the terminal, masked', (_name, typed) => {
  const { swipe, cards, events, journal } = setup({ rules: [{ iin: '4761', label: 'Test card' }] });
  expect(swipe(typed)).toBeUndefined();
  expect(cards).toMatchObject([
    {
      label: 'Test card',
      maskedPan: '476173 **** 0010',
      expiry: '1249',
      stripe: { verification: 'signature' },
    },
  ]);
  expect(events()).toEqual([expect.stringMatching(/^card\.read MagStripe 476173 \*{4} 0010 [0-9A-F]{16}$/)]);
  expect(JSON.stringify([cards, journal.since(0)])).not.toContain(number);
});

test('the terminal asks to insert a chip card only if it has a chip reader', () => {
  const chipCard = track2.replace('=4912101', '=4912201');
  const [alone, beside] = [setup(), setup({ ways: ['ICC'] })];
  alone.swipe(chipCard);
  beside.swipe(chipCard);
  expect(alone.cards[0]).not.toHaveProperty('chip');
  expect(beside.cards[0]).toHaveProperty('chip');
});

test.each(['%E?;E?\r', `${track1};4111111111111111=49121011845888890000?\r`, `${track2.slice(0, -1)}X?5\r`])(
  'the terminal sees an unreadable card: %j',
  (typed) => {
    const { swipe, cards, events } = setup();
    expect(swipe(typed)).toContain('no readable card track');
    expect(cards).toMatchObject([{ id: 'reader-unreadable' }]);
    expect(events()).toEqual(['card.error MagStripe BAD_READ']);
  },
);

test.each(['%hello world', track2.slice(0, 20), `${number}\r`, ';ı'.repeat(4)])(
  'input that is not a track is ignored, with a message: %j',
  (typed) => {
    const { swipe, cards, events } = setup();
    expect(swipe(typed)).toContain('no readable card track');
    expect(cards).toEqual([]);
    expect(events()).toEqual(['card.error MagStripe BAD_READ']);
  },
);

test('a swipe at a terminal that does not ask for a card gets a message that says so', () => {
  const { swipe } = setup({ refusal: 'the terminal is not asking for a card' });
  expect(swipe(track2)).toBe('Card 476173 **** 0010 swiped, but the terminal is not asking for a card');
});
