import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';
import { openGatewayStore } from '../store/store.ts';
import { compareDebitBooks } from './debit-books.ts';

let folder: string;
let paid: string;
let held: string;
let refund: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-books-'));
  const harness = await SavedCardsHarness.start({ folder, account: { surchargePercent: 10 } });
  paid = await harness.paid(10);
  held = (await harness.preauthorize(10)).body.debit_id;
  await harness.capture((await harness.preauthorize(10, 'fails-at-capture')).body.debit_id);
  await harness.charge(10, 'declined');
  refund = (await harness.refund(paid, 4)).body.id;
  await harness.clock.advance(2000);
  const later = await harness.paid(10, 'refund-fails-later');
  await harness.refund(later, 11);
  await harness.clock.advance(7000);
  await harness.refund(paid, 1);
  await harness.stop();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function compared(statement?: (db: Awaited<ReturnType<typeof openGatewayStore>>) => Promise<unknown>) {
  const store = await openGatewayStore({ file: join(folder, 'pinpad.sqlite') });
  await statement?.(store);
  const books = await compareDebitBooks(store);
  await store.close();
  return books;
}

test('the ledger moved what the API says, in every state of debits and refunds', async () => {
  expect(await compared()).toEqual({ agree: true, debits: 5, refunds: 3, disagreements: [] });
});

test('the books report an authorization of another amount', async () => {
  const books = await compared((store) =>
    store.write((tx) => tx.updateTable('ledger').set({ amount: 1 }).where('payment_id', '=', held).execute()),
  );
  expect(books.disagreements).toMatchObject([{ debitId: held, reported: 1100, moved: 1 }]);
});

test('the books report a second authorization, and a hold without a debit', async () => {
  const again = (id: string) =>
    compared((store) =>
      store.write(async (tx) => {
        const entry = await tx
          .selectFrom('ledger')
          .selectAll()
          .where('payment_id', '=', id)
          .where('kind', '=', 'authorized')
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('ledger')
          .values({ ...entry, id: `${entry.id}-again` })
          .execute();
      }),
    );
  expect((await again(held)).disagreements).toMatchObject([{ why: '2 authorizations' }]);
});

test('the books report a debit that is paid without a capture, and one that is captured but not paid', async () => {
  const says = (id: string, state: 'paid' | 'voided') =>
    compared((store) =>
      store.write((tx) => tx.updateTable('debits').set({ state }).where('id', '=', id).execute()),
    );
  expect((await says(held, 'paid')).disagreements).toMatchObject([
    { debitId: held, why: 'paid, but 0 of 1100 is captured' },
  ]);
  expect((await says(held, 'voided')).agree).toBe(false);
});

test('the books report a submitted refund that moved nothing, and a failed one that moved money', async () => {
  const says = (status: 'failed' | 'processing') =>
    compared((store) =>
      store.write((tx) => tx.updateTable('refunds').set({ status }).where('id', '=', refund).execute()),
    );
  expect((await says('failed')).disagreements.map(({ why }) => why)).toEqual([
    '0 was submitted as refunds, but 400 was moved',
    `refund ${refund} is failed`,
  ]);
  const other = await compared((store) =>
    store.write((tx) => tx.updateTable('refunds').set({ status: 'submitted' }).execute()),
  );
  expect(other.agree).toBe(false);
});
