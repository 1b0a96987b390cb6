import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day, hour, SavedCardsHarness } from './saved-cards-harness.fixture.ts';

let harness: SavedCardsHarness;
beforeEach(async () => {
  harness = await SavedCardsHarness.start();
});
afterEach(async () => {
  expect(await harness.booksAgree()).toMatchObject({ agree: true });
  await harness.stop();
});

async function authorized(amount = 10, card = 'visa'): Promise<string> {
  return (await harness.preauthorize(amount, card)).body.debit_id;
}

test('a preauthorization returns the debit without a note, and holds the money without taking it (B72)', async () => {
  const { status, body } = await harness.preauthorize(10, 'visa', { note: 'is not taken' });
  expect(status).toBe(200);
  expect(body).toEqual({
    debit_id: expect.any(String),
    amount: 10,
    statement: 'ORDER 1',
    to_bank_account_id: 'bank',
    contact_id: 'robin',
    from_credit_card_id: 'visa',
    transaction_state: 'preauthorized',
  });
  expect(await harness.ledger(body.debit_id)).toEqual(['authorized 10']);
  expect(harness.journal('request.unknownField')[0]?.data.paths).toEqual(['note']);
});

test('a capture takes the full amount, and its event says so (B73, B104, B105)', async () => {
  const id = await authorized();
  const { status, body } = await harness.capture(id);
  expect(status).toBe(200);
  expect(body).toEqual({ identifier: id, state: 'paid' });
  expect(await harness.ledger(id)).toEqual(['authorized 10', 'captured 10']);
  expect(await harness.events(id)).toEqual(['payments.debits.preauthorized', 'payments.debits.paid']);
});

test('the identifier of a debit may be written in upper case', async () => {
  expect((await harness.capture((await authorized()).toUpperCase())).status).toBe(200);
});

test('a second capture is refused, and changes nothing (B78)', async () => {
  const id = await authorized();
  await harness.capture(id);
  const before = await harness.explain(id);
  const { status, body } = await harness.capture(id);
  expect(status).toBe(409);
  expect(body.error).toBe('debitNotCapturable');
  expect(await harness.explain(id)).toEqual(before);
  expect(await harness.events(id)).toHaveLength(2);
});

test('of several captures at the same moment only one succeeds', async () => {
  const id = await authorized();
  const replies = await Promise.all(Array.from({ length: 10 }, () => harness.capture(id)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  expect(await harness.ledger(id)).toEqual(['authorized 10', 'captured 10']);
  expect(await harness.events(id)).toHaveLength(2);
});

test('a charge cannot be captured, and neither can a failed or unknown debit', async () => {
  expect((await harness.capture(await harness.paid(10))).status).toBe(409);
  const { body } = await harness.preauthorize(10, 'declined');
  expect((await harness.capture(body.debit_id)).status).toBe(409);
  const unknown = await harness.capture('019b0000-0000-7000-8000-000000000000');
  expect(unknown.status).toBe(404);
  expect(unknown.body.error).toBe('debitNotFound');
});

test('a capture that the issuer declines fails the debit and releases the hold (B76, B80)', async () => {
  const id = await authorized(10, 'fails-at-capture');
  const { status, body } = await harness.capture(id);
  expect(status).toBe(402);
  expect(body).toMatchObject({ error: 'cardDeclined', declineCode: 'processingError', debit_id: id });
  expect(await harness.ledger(id)).toEqual(['authorized 10', 'declined 10', 'reversed 10']);
  expect(await harness.events(id)).toEqual(['payments.debits.preauthorized', 'payments.debits.failed']);
  expect((await harness.capture(id)).status).toBe(409);
  await harness.clock.advance(8 * day);
  expect(await harness.explain(id)).toMatchObject({ state: 'failed' });
});

describe('an authorization expires after seven days (B75)', () => {
  test('exactly on the millisecond, and the debit is voided then', async () => {
    const [captured, left] = [await authorized(), await authorized()];
    await harness.clock.advance(7 * day - 1);
    expect(await harness.explain(left)).toMatchObject({ state: 'preauthorized' });
    expect((await harness.capture(captured)).status).toBe(200);
    await harness.clock.advance(1);
    expect(await harness.explain(left)).toMatchObject({
      state: 'voided',
      why: 'the authorization was not captured in time',
      endedAt: '2026-01-08T09:00:00.000Z',
    });
    expect((await harness.capture(left)).status).toBe(409);
    expect(await harness.ledger(left)).toEqual(['authorized 10', 'reversed 10']);
    expect(await harness.events(left)).toEqual(['payments.debits.preauthorized', 'payments.debits.voided']);
    await harness.clock.advance(30 * day);
    expect(await harness.explain(captured)).toMatchObject({ state: 'paid' });
  });

  test('even if the gateway was started again in between', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-debits-'));
    await harness.stop();
    harness = await SavedCardsHarness.start({ folder });
    const id = await authorized();
    await harness.clock.advance(day);
    await harness.restart(hour);
    await harness.clock.advance(6 * day - hour - 1);
    expect(await harness.explain(id)).toMatchObject({ state: 'preauthorized' });
    await harness.clock.advance(1);
    expect(await harness.explain(id)).toMatchObject({ state: 'voided' });
    rmSync(folder, { recursive: true });
  });

  test('at the next start, if its time ended while no gateway was running', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-debits-'));
    await harness.stop();
    harness = await SavedCardsHarness.start({ folder });
    const id = await authorized();
    await harness.restart(9 * day);
    expect((await harness.capture(id)).body.message).toBe('The authorization has expired');
    await harness.clock.advance(0);
    expect(await harness.explain(id)).toMatchObject({ state: 'voided' });
    rmSync(folder, { recursive: true });
  });

  test('early if a test says so, once', async () => {
    const id = await authorized();
    const path = `/control/debits/${id}/expire`;
    const { status, body } = await harness.control('POST', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'voided', why: 'a test let the authorization expire' });
    expect((await harness.control('POST', path)).status).toBe(409);
    expect((await harness.capture(id)).status).toBe(409);
    await harness.clock.advance(8 * day);
    expect(await harness.events(id)).toEqual(['payments.debits.preauthorized', 'payments.debits.voided']);
  });
});

test('of a capture and an expiry at the same moment only one takes effect', async () => {
  const id = await authorized();
  const [captured, expired] = await Promise.all([
    harness.capture(id),
    harness.control('POST', `/control/debits/${id}/expire`),
  ]);
  expect([captured.status, expired.status].sort()).toEqual([200, 409]);
  expect(await harness.events(id)).toHaveLength(2);
});

test('an operator can list debits, the latest first, page by page', async () => {
  const ids = [await harness.paid(1), await authorized(2), await harness.paid(3)].reverse();
  const list = async (query: string) =>
    (await harness.control('GET', `/control/debits?${query}`)).body.map(({ id }: { id: string }) => id);
  expect(await list('accountId=shop')).toEqual(ids);
  expect(await list('limit=2')).toEqual(ids.slice(0, 2));
  expect(await list(`before=${ids[1]}`)).toEqual(ids.slice(2));
  expect(await list('state=preauthorized&contactId=robin')).toEqual([ids[1]]);
  expect(await list('contactId=nobody')).toEqual([]);
});
