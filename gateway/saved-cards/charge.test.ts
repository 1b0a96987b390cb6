import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountInput } from '../accounts/schemas.ts';
import { testCards } from './default/test-cards.ts';
import { day, SavedCardsHarness } from './saved-cards-harness.fixture.ts';

let harness: SavedCardsHarness;
beforeEach(async () => {
  harness = await SavedCardsHarness.start();
});
afterEach(() => harness.stop());

async function withAccount(account: Partial<AccountInput>): Promise<void> {
  await harness.stop();
  harness = await SavedCardsHarness.start({ account });
}

test('a charge returns the debit as it was requested, and it is paid (B70, B71)', async () => {
  const { status, body } = await harness.charge(25.5, 'visa', { note: 'Monthly fee' });
  expect(status).toBe(200);
  expect(body).toEqual({
    debit_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    amount: 25.5,
    statement: 'ORDER 1',
    note: 'Monthly fee',
    to_bank_account_id: 'bank',
    contact_id: 'robin',
    from_credit_card_id: 'visa',
    transaction_state: 'paid',
  });
  expect(await harness.events(body.debit_id)).toEqual(['payments.debits.completed']);
  expect(await harness.ledger(body.debit_id)).toEqual(['authorized 25.5', 'captured 25.5']);
});

test('the event of a charge has the amount as text with the decimals of the currency (B104, B105)', async () => {
  const { body } = await harness.charge(25.5);
  const [event] = await harness.gateway.events.list({ limit: 1 });
  expect(event).toMatchObject({
    accountId: 'shop',
    environment: 'sandbox',
    resourceId: body.debit_id,
    data: { transactionId: body.debit_id, status: 'paid', amount: '25.50', fromCreditCardId: 'visa' },
  });
});

test.each(testCards.filter(({ authorize }) => authorize).map((card) => [card.id, card] as const))(
  'the test card %s is declined, and its debit exists as failed',
  async (id, card) => {
    const { status, body } = await harness.charge(10, id);
    expect(status).toBe(402);
    expect(body).toMatchObject({ error: 'cardDeclined', declineCode: card.authorize?.declineCode });
    expect(await harness.explain(body.debit_id)).toMatchObject({
      state: 'failed',
      declineCode: card.authorize?.declineCode,
      refundable: 0,
    });
    expect(await harness.events(body.debit_id)).toEqual(['payments.debits.failed']);
    expect(await harness.ledger(body.debit_id)).toEqual(['declined 10']);
    expect((await harness.preauthorize(10, id)).status).toBe(402);
  },
);

test.each(testCards.filter(({ authorize }) => !authorize).map(({ id }) => id))(
  'the test card %s is charged successfully',
  async (id) => {
    expect((await harness.charge(10, id)).body.transaction_state).toBe('paid');
  },
);

test('a card expires at the end of its month (B77)', async () => {
  await harness.control('PATCH', '/control/contacts/robin/credit-cards/visa', { expiry: '0126' });
  await harness.clock.advanceTo(Date.UTC(2026, 1, 1) - 1);
  expect((await harness.charge(10)).status).toBe(200);
  await harness.clock.advance(1);
  const { status, body } = await harness.charge(10);
  expect(status).toBe(402);
  expect(body.declineCode).toBe('expiredCard');
});

test('a saved card can be set to decline later, and to approve again', async () => {
  const path = '/control/contacts/robin/credit-cards/visa';
  await harness.control('PATCH', path, { card: 'insufficient-funds' });
  expect((await harness.charge(10)).body.declineCode).toBe('insufficientFunds');
  await harness.control('PATCH', path, { card: 'visa' });
  expect((await harness.charge(10)).status).toBe(200);
});

describe('a refused charge makes no debit', () => {
  afterEach(async () => {
    expect((await harness.control('GET', '/control/debits')).body).toEqual([]);
    expect(await harness.events()).toEqual([]);
  });

  test.each([
    ['no amount', { amount: undefined }, 'amount'],
    ['an amount as text', { amount: '10.00' }, 'amount'],
    ['no bank account', { to_bank_account_id: undefined }, 'to_bank_account_id'],
    ['no statement', { statement: undefined }, 'statement'],
    ['an empty statement', { statement: '' }, 'statement'],
    ['a statement of 23 characters', { statement: 'x'.repeat(23) }, 'statement'],
    ['a note of 256 characters', { note: 'x'.repeat(256) }, 'note'],
  ])('%s (B74)', async (_what, body, path) => {
    const reply = await harness.charge(10, 'visa', body);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ error: 'invalidRequest', details: [{ path }] });
  });

  test.each([0, -1, 10.001, 100_000_000])('an amount of %d', async (amount) => {
    const { status, body } = await harness.charge(amount);
    expect(status).toBe(400);
    expect(body.error).toBe('invalidAmount');
  });

  test('an amount with decimals in a currency that has none', async () => {
    await withAccount({ currency: 'JPY' });
    expect((await harness.charge(10.5)).body.error).toBe('invalidAmount');
  });

  test('an account without card on file: the check comes after 400 and before 404 (B10)', async () => {
    await withAccount({ cardOnFile: false });
    expect((await harness.charge(0)).status).toBe(400);
    const { status, body } = await harness.charge(10, 'nobody');
    expect(status).toBe(403);
    expect(body.error).toBe('cardOnFileNotEnabled');
    expect((await harness.preauthorize(10)).status).toBe(403);
    expect((await harness.capture('019b0000-0000-7000-8000-000000000000')).status).toBe(403);
  });

  test('an account for which card on file was not enabled (B9)', async () => {
    await harness.control('POST', '/control/accounts', { id: 'other', name: 'Other', currency: 'EUR' });
    expect(harness.gateway.accounts.account('other')).toMatchObject({
      cardOnFile: false,
      surchargePercent: 0,
    });
  });

  test.each([
    ['contact', '/contact/nobody/creditCards/visa/charge', 'bank', 'contactNotFound'],
    ['card', '/contact/robin/creditCards/none/charge', 'bank', 'creditCardNotFound'],
    ['bank account', '/contact/robin/creditCards/visa/charge', 'none', 'bankAccountNotFound'],
  ])('an unknown %s (B78)', async (_what, path, bank, error) => {
    const given = { amount: 10, to_bank_account_id: bank, statement: 'ORDER 1' };
    const { status, body } = await harness.api('POST', path, given);
    expect(status).toBe(404);
    expect(body.error).toBe(error);
  });

  test("another contact's card", async () => {
    await harness.control('POST', '/control/contacts', { id: 'kim', accountId: 'shop', name: 'Kim' });
    const given = { amount: 10, to_bank_account_id: 'bank', statement: 'ORDER 1' };
    const { body } = await harness.api('POST', '/contact/kim/creditCards/visa/charge', given);
    expect(body.error).toBe('creditCardNotFound');
  });
});

test('every request makes its own debit, even with the same Idempotency-Key, and the journal warns (B61, B136)', async () => {
  const headers = { 'idempotency-key': 'the-same' };
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => harness.charge(10, 'visa', {}, { headers })),
  );
  expect(new Set(replies.map(({ body }) => body.debit_id)).size).toBe(8);
  expect((await harness.control('GET', '/control/debits')).body).toHaveLength(8);
  const warnings = harness.journal('warning').map(({ data }) => data.message);
  expect(warnings).toHaveLength(8);
  expect(warnings[0]).toMatch(/Idempotency-Key, which this endpoint ignores/);
});

test('unknown fields are accepted and named in the journal', async () => {
  expect((await harness.charge(10, 'visa', { colour: 'red' })).status).toBe(200);
  expect(harness.journal('request.unknownField')[0]?.data.paths).toEqual(['colour']);
});

test.each([
  [10, 2.5, 0.25],
  [10.01, 2.5, 0.25],
  [10.2, 2.5, 0.26],
  [0.01, 50, 0.01],
  [49_999_999.99, 100, 49_999_999.99],
  [33.33, 0.0001, 0],
])(
  'of %d with a surcharge of %d percent, the customer pays %d (B79)',
  async (amount, surchargePercent, surcharge) => {
    await withAccount({ surchargePercent });
    const { body } = await harness.charge(amount);
    expect(body.amount).toBe(amount);
    const total = Number((amount + surcharge).toFixed(2));
    expect(await harness.ledger(body.debit_id)).toEqual([`authorized ${total}`, `captured ${total}`]);
    expect(await harness.summary(body.debit_id)).toMatchObject({
      captured_amount: amount,
      refundable_amount: total,
    });
    expect(await harness.booksAgree()).toMatchObject({ agree: true });
  },
);

test.each([
  ['EUR', 90_000_000, 11.2],
  ['EUR', 99_999_999.99, 0.0001],
  ['JPY', 99_999_999, 0.0001],
])(
  '%s %d with a surcharge of %d percent exceeds the largest amount, and is refused (B13)',
  async (currency, amount, surchargePercent) => {
    await withAccount({ surchargePercent, currency });
    for (const attempt of [harness.charge(amount), harness.preauthorize(amount)])
      expect(await attempt).toMatchObject({
        status: 400,
        body: {
          error: 'invalidAmount',
          details: [{ path: 'amount', message: 'must not make a total above 99999999.99' }],
        },
      });
    expect(await harness.events()).toEqual([]);
  },
);

test('a debit keeps the surcharge and the currency with which it was made', async () => {
  await withAccount({ surchargePercent: 10 });
  const id = await harness.paid(10);
  await harness.control('PATCH', '/control/accounts/shop', { surchargePercent: 0, currency: 'JPY' });
  expect(await harness.summary(id)).toMatchObject({ captured_amount: 10, refundable_amount: 11 });
  expect((await harness.refund(id, 0.55)).status).toBe(201);
  expect((await harness.refund(id, 0.555)).body.error).toBe('invalidAmount');
});

test("a card's number is never stored or shown: not in an answer, the journal, or the file", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-cards-'));
  await harness.stop();
  harness = await SavedCardsHarness.start({ folder });
  const path = '/control/contacts/robin/credit-cards';
  const saved = await harness.control('POST', path, { id: 'typed', card: '4242 4242 4242 4242' });
  expect(saved.body).toMatchObject({ maskedNumber: '424242 **** 4242', testCard: 'visa' });
  const { creditCards } = (await harness.control('GET', '/control/contacts/robin')).body;
  const same = creditCards.filter(
    (card: { fingerprint: string }) => card.fingerprint === saved.body.fingerprint,
  );
  expect(same.map((card: { id: string }) => card.id)).toEqual(['typed', 'visa']);
  await harness.charge(10, 'typed');
  await harness.stop();
  const written = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
  const all = [...written, JSON.stringify(harness.runtime.journal.since()), JSON.stringify(saved)].join('\n');
  expect(all).toContain('424242 **** 4242');
  expect(all).not.toMatch(/4242 ?4242 ?4242/);
  rmSync(folder, { recursive: true });
});

test('a card that is not a test card cannot be saved, and its number is not repeated', async () => {
  const { status, body } = await harness.control('POST', '/control/contacts/robin/credit-cards', {
    card: '4539578763621486',
  });
  expect(status).toBe(400);
  expect(body.details[0].path).toBe('card');
  expect(JSON.stringify([body, harness.runtime.journal.since()])).not.toContain('4539578763621486');
});

test('provisioning again changes only the given fields (B2)', async () => {
  const former = (await harness.control('GET', '/control/contacts/robin')).body;
  await harness.clock.advance(day);
  await harness.control('POST', '/control/contacts', {
    id: 'robin',
    accountId: 'shop',
    name: 'Robin Renamed',
  });
  await harness.control('POST', '/control/contacts/robin/credit-cards', { id: 'visa', card: 'visa' });
  expect((await harness.control('GET', '/control/contacts/robin')).body).toEqual({
    ...former,
    name: 'Robin Renamed',
  });
  expect((await harness.control('GET', '/control/contacts?accountId=shop')).body).toHaveLength(1);
  expect((await harness.control('GET', '/control/bank-accounts?accountId=none')).body).toEqual([]);
});

test("another account's contact cannot be taken over by its id", async () => {
  await harness.control('POST', '/control/accounts', { id: 'other', name: 'Other', currency: 'EUR' });
  const contact = await harness.control('POST', '/control/contacts', {
    id: 'robin',
    accountId: 'other',
    name: 'X',
  });
  expect(contact.status).toBe(409);
  const bank = await harness.control('POST', '/control/bank-accounts', {
    id: 'bank',
    accountId: 'other',
    name: 'X',
  });
  expect(bank.status).toBe(409);
  await harness.control('POST', '/control/contacts', { id: 'kim', accountId: 'other', name: 'Kim' });
  const card = await harness.control('POST', '/control/contacts/kim/credit-cards', {
    id: 'visa',
    card: 'visa',
  });
  expect(card.status).toBe(409);
});
