import { expect, test } from 'vitest';
import { testCardSchema } from '../../shared/emulator/cards.ts';
import { explainCard } from './explain-card.ts';

const plain = {
  id: 'mine',
  label: 'Mine',
  number: '4111111111111111',
  expiry: '1249',
  country: '840',
  funding: 'credit',
  applications: [{ aid: 'A0000000031010', label: 'VISA', brand: 'visa' }],
};

test.each([
  [{ pin: '1234', chip: { verification: 'offlinePin' } }, 'chip: PIN 1234 offline; approves'],
  [{ chip: { verification: 'none' }, stripe: {} }, 'chip: no PIN; stripe: signature; approves'],
  [
    { pin: '99999', contactless: { limit: 25, aboveLimit: 'pin' } },
    'tap: up to 25, above asks for the PIN; approves',
  ],
  [{ contactless: { aboveLimit: 'allow' } }, 'tap: without limit; approves'],
  [
    { pin: '1234', chip: { verification: 'onlinePin', readable: 'secondTry' } },
    'chip can be read at the second try, PIN 1234 online; approves',
  ],
  [
    { chip: { verification: 'signature', readable: 'no' }, stripe: { readable: false } },
    'chip never readable; stripe never readable; approves',
  ],
  [{}, 'typed in only; approves'],
  [
    {
      host: {
        errorCondition: 'Refusal',
        refusalReason: '210 Not enough balance',
        message: 'NOT_ENOUGH_BALANCE',
      },
    },
    'typed in only; declines: Not enough balance (210, NOT_ENOUGH_BALANCE)',
  ],
  [
    {
      host: {
        errorCondition: 'InvalidCard',
        refusalReason: '214 Declined online',
        message: 'INVALID_CARD',
      },
    },
    'typed in only; fails with InvalidCard: Declined online (214, INVALID_CARD)',
  ],
])('the card %j behaves as its sentence says', (traits, sentence) => {
  expect(explainCard(testCardSchema.parse({ ...plain, ...traits }))).toBe(sentence);
});
