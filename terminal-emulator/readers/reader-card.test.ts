import { expect, test } from 'vitest';
import { makeCardFromRead, makeUnreadableCard } from './reader-card.ts';
import type { CardAccount, CardApplication, CardRead } from './reader-driver.ts';
import { findBehaviourByRules, type ReaderRules, readerRulesSchema } from './reader-rules.ts';

const account: CardAccount = {
  maskedPan: '476173 **** 0010',
  fingerprint: '0123456789ABCDEF',
  brand: 'visa',
  checkDigitValid: true,
  expiry: '1227',
  country: '528',
  sequenceNumber: '02',
  verification: 'offlinePin',
  serviceCode: '201',
};
const read: CardRead = {
  ...account,
  entry: 'ICC',
  applications: [{ ...account, aid: 'A0000000031010', label: 'VISA CREDIT', priority: 1 }],
  selectedAid: 'A0000000031010',
};
const declined = {
  errorCondition: 'Refusal' as const,
  refusalReason: '210 Not enough balance',
  message: 'NOT_ENOUGH_BALANCE',
};

test('a chip that was read becomes a card like those of the tray, without its number', () => {
  const card = makeCardFromRead(read, [], ['ICC']);
  expect(card).toEqual({
    id: 'reader-0123456789abcdef',
    label: 'VISA CREDIT',
    maskedPan: '476173 **** 0010',
    expiry: '1227',
    sequenceNumber: '02',
    country: '528',
    funding: 'credit',
    applications: [{ aid: 'A0000000031010', label: 'VISA CREDIT', brand: 'visa', debit: false }],
    chip: { verification: 'offlinePin', readable: 'yes' },
    keyed: false,
    note: 'Read by ICC, fingerprint 0123456789ABCDEF',
  });
});

test('every application of a co-badged card is offered, each with its own account and the rules for it', () => {
  const applications: CardApplication[] = [
    { ...account, aid: 'A0000000421010', label: 'CB', priority: 1 },
    {
      ...account,
      aid: 'A0000000043060',
      label: 'MAESTRO',
      priority: 2,
      maskedPan: '679999 **** 0018',
      fingerprint: 'FEDCBA9876543210',
      brand: 'maestro',
      verification: 'onlinePin',
    },
    { ...account, aid: 'A0000009999999', label: 'PURSE', priority: 3, brand: undefined },
  ];
  const card = makeCardFromRead({ ...read, applications }, [{ brand: 'maestro', host: declined }], ['ICC']);
  expect(card).toMatchObject({ id: 'reader-0123456789abcdef', maskedPan: '476173 **** 0010', label: 'CB' });
  expect(card?.applications).toMatchObject([
    { aid: 'A0000000421010', label: 'CB', brand: 'visa', debit: false },
    { aid: 'A0000000043060', label: 'MAESTRO', brand: 'maestro', debit: true },
  ]);
  expect(card?.applications.map((application) => application.card)).toMatchObject([
    { id: 'reader-0123456789abcdef', maskedPan: '476173 **** 0010', chip: { verification: 'offlinePin' } },
    {
      id: 'reader-fedcba9876543210',
      maskedPan: '679999 **** 0018',
      chip: { verification: 'onlinePin' },
      host: declined,
    },
  ]);
  expect(card?.applications[0]?.card).not.toHaveProperty('host');
});

test('a swipe whose number has a wrong check digit is unreadable, unless a rule accepts it (B206)', () => {
  const swiped: CardRead = { ...read, entry: 'MagStripe', applications: [], checkDigitValid: false };
  expect(makeCardFromRead(swiped, [], [])).toBeUndefined();
  expect(
    makeCardFromRead(swiped, readerRulesSchema.parse([{ iin: '476', checkDigit: 'any' }]), []),
  ).toMatchObject({
    stripe: { readable: true },
  });
  expect(
    makeCardFromRead(swiped, readerRulesSchema.parse([{ iin: '62', checkDigit: 'any' }]), []),
  ).toBeUndefined();
  const tapped: CardRead = { ...swiped, entry: 'Contactless' };
  expect(makeCardFromRead(tapped, [], [])).toHaveProperty('contactless');
});

test('after a swipe of a chip card the terminal asks for the chip only if it can be inserted', () => {
  const swiped: CardRead = { ...read, entry: 'MagStripe', applications: [], verification: 'signature' };
  expect(makeCardFromRead(swiped, [], ['MagStripe', 'ICC'])).toMatchObject({ chip: { readable: 'yes' } });
  const alone = makeCardFromRead(swiped, [], ['MagStripe']);
  expect(alone).not.toHaveProperty('chip');
  expect(alone).toMatchObject({
    stripe: { verification: 'signature', readable: true },
    applications: [{ aid: 'A0000000031010', brand: 'visa' }],
  });
  expect(makeCardFromRead({ ...swiped, serviceCode: '101' }, [], ['ICC'])).not.toHaveProperty('chip');
});

test('a tapped card has a limit, above which a PIN is asked for', () => {
  expect(makeCardFromRead({ ...read, entry: 'Contactless' }, [], ['Contactless'])).toMatchObject({
    contactless: { limit: 50, aboveLimit: 'pin' },
  });
});

test('a card of an unknown brand is not a card', () => {
  const applications = [{ ...read.applications[0]!, brand: undefined }];
  expect(makeCardFromRead({ ...read, brand: undefined, applications }, [], ['ICC'])).toBeUndefined();
});

test('a card that could not be read is unreadable in the way in which it was presented', () => {
  expect(makeUnreadableCard('ICC')).toMatchObject({ chip: { readable: 'no' } });
  expect(makeUnreadableCard('MagStripe')).toMatchObject({ stripe: { readable: false } });
});

test('rules say what a card does: by brand, with priority by IIN, and first of all by the card itself', () => {
  const rules: ReaderRules = readerRulesSchema.parse([
    { fingerprint: '0123456789ABCDEF', pin: '4321' },
    { iin: '4761', host: declined, verification: 'none' },
    { brand: 'visa', verification: 'onlinePin', pin: '1111', funding: 'debit' },
    { iin: '222100-272099', pin: '9999' },
    { iin: '476173-476174', label: 'My test card' },
    { brand: 'mc', pin: '8888' },
  ]);
  expect(findBehaviourByRules(read, rules)).toEqual({
    funding: 'debit',
    verification: 'none',
    host: declined,
    label: 'My test card',
    pin: '4321',
  });
  expect(makeCardFromRead(read, rules, ['ICC'])).toMatchObject({
    label: 'My test card',
    pin: '4321',
    funding: 'debit',
    chip: { verification: 'none' },
    host: declined,
  });
  const other = { ...read, fingerprint: 'FFFFFFFFFFFFFFFF', maskedPan: '411111 **** 1111' };
  expect(findBehaviourByRules(other, rules)).toEqual({
    funding: 'debit',
    verification: 'onlinePin',
    pin: '1111',
  });
});

test.each<[object, string]>([
  [{}, 'a rule about no card'],
  [{ iin: '12-3456' }, 'a range of unequal ends'],
  [{ iin: '272099-222100' }, 'a range from above to below'],
  [{ iin: '4761', hosts: { declined: 'expiredCard' } }, 'an unknown field'],
  [{ iin: '4761739' }, 'more than the six digits that are known'],
  [{ fingerprint: 'abc' }, 'no fingerprint'],
  [{ brand: 'visa', pin: '12' }, 'no PIN'],
])('%j is refused: %s', (rule) => {
  expect(readerRulesSchema.safeParse([rule]).success).toBe(false);
});
