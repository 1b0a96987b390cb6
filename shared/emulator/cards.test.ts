import { expect, test } from 'vitest';
import { testCardSchema } from './cards.ts';

const plain = {
  id: 'mine',
  label: 'Mine',
  number: '4111111111111111',
  expiry: '1249',
  country: '840',
  funding: 'credit',
  applications: [{ aid: 'A0000000031010', label: 'VISA', brand: 'visa' }],
};

function faults(traits: object): string[] {
  const issues = testCardSchema.safeParse({ ...plain, ...traits }).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('a card with only a number can be typed in and approves', () => {
  expect(testCardSchema.parse(plain)).toMatchObject({ keyed: true, note: '' });
  expect(testCardSchema.parse(plain).host).toBeUndefined();
});

test('entry modes that a card does not describe get sensible defaults', () => {
  const parsed = testCardSchema.parse({
    ...plain,
    chip: { verification: 'none' },
    contactless: {},
    stripe: {},
  });
  expect(parsed).toMatchObject({
    chip: { readable: 'yes' },
    contactless: { limit: 50, aboveLimit: 'insert' },
    stripe: { verification: 'signature', readable: true },
  });
});

test.each([
  [{ keyed: false }, 'keyed: a card needs at least one of chip, contactless, stripe and keyed'],
  [
    { contactless: {} },
    'contactless: a card without a chip cannot have `aboveLimit: insert`: use `pin` or `allow`',
  ],
  [{ chip: { verification: 'offlinePin' } }, 'pin: this card is verified by PIN, so it needs a PIN'],
  [{ stripe: { verification: 'onlinePin' } }, 'pin: this card is verified by PIN, so it needs a PIN'],
  [{ contactless: { aboveLimit: 'pin' } }, 'pin: this card is verified by PIN, so it needs a PIN'],
])('%j contradicts itself and is refused with an explanation', (traits, fault) => {
  expect(faults(traits)).toEqual([fault]);
});

test.each([
  { number: '4111 1111 1111 1111' },
  { expiry: '1349' },
  { pin: '12' },
  { applications: [] },
  { id: 'A b' },
])('%j is not a card', (traits) => expect(faults(traits)).toHaveLength(1));
