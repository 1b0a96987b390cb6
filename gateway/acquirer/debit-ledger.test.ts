import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { Unit } from '../store/schema.ts';
import { openStore, type Store } from '../store/store.ts';
import { DebitLedger } from './debit-ledger.ts';
import { Ledger } from './ledger.ts';

const debit = { id: 'd1', accountId: 'shop', environment: 'sandbox', currency: 'EUR' } as const;
const yes = { rule: 'default', why: 'no rule declines it' };
const no = { ...yes, refusal: { declineCode: 'lostCard', responseCode: '41', message: 'Lost card' } };

let store: Store;
let ledger: DebitLedger;
beforeEach(async () => {
  store = await openStore({ file: ':memory:' });
  ledger = new DebitLedger(new Ledger(createRuntime({ clock: 'virtual', seed: 5 })));
});
afterEach(() => store.close());

const write = <T>(work: (unit: Unit) => Promise<T>) => store.write(work);
const book = async () =>
  (await store.read((tx) => tx.selectFrom('ledger').selectAll().orderBy('id').execute())).map(
    ({ kind, amount }) => `${kind} ${amount}`,
  );

test('one authorization a debit, whether it was given or refused (B136)', async () => {
  await write((tx) => ledger.authorize(tx, debit, 1000, no));
  await expect(write((tx) => ledger.authorize(tx, debit, 1000, yes))).rejects.toThrow(/before/);
  expect(await book()).toEqual(['declined 1000']);
});

test('one capture a debit, of what was authorized', async () => {
  await expect(write((tx) => ledger.capture(tx, debit, yes))).rejects.toThrow(/nothing to capture/);
  await write((tx) => ledger.authorize(tx, debit, 1000, yes));
  await write((tx) => ledger.capture(tx, debit, yes));
  await expect(write((tx) => ledger.capture(tx, debit, yes))).rejects.toThrow(/nothing to capture/);
  await expect(write((tx) => ledger.release(tx, debit, 'late'))).rejects.toThrow(/nothing to release/);
  expect(await book()).toEqual(['authorized 1000', 'captured 1000']);
});

test('what was released or refused at capture holds nothing any more', async () => {
  await write((tx) => ledger.authorize(tx, debit, 1000, yes));
  await write((tx) => ledger.capture(tx, debit, no));
  for (const again of [
    () => write((tx) => ledger.capture(tx, debit, yes)),
    () => write((tx) => ledger.release(tx, debit, 'again')),
  ])
    await expect(again()).rejects.toThrow(/holds nothing/);
  expect(await book()).toEqual(['authorized 1000', 'declined 1000', 'reversed 1000']);
});

test('never more refunded than captured, and what is returned can be refunded again', async () => {
  await write((tx) => ledger.authorize(tx, debit, 1000, yes));
  const refund = (id: string, amount: number) => write((tx) => ledger.refund(tx, debit, { id, amount }, 'r'));
  await expect(refund('r0', 1)).rejects.toThrow(/left to refund/);
  await write((tx) => ledger.capture(tx, debit, yes));
  await refund('r1', 600);
  await expect(refund('r2', 401)).rejects.toThrow(/left to refund/);
  await write((tx) => ledger.return(tx, debit, { id: 'r1', amount: 600 }, 'bank said no'));
  await refund('r3', 1000);
  expect((await store.read((tx) => ledger.standing(tx, debit.id))).refunded).toBe(1000);
});

test('a refund moves once and comes back once, with its own amount', async () => {
  await write((tx) => ledger.authorize(tx, debit, 1000, yes));
  await write((tx) => ledger.capture(tx, debit, yes));
  const refund = { id: 'r1', amount: 100 };
  const back = (amount: number) => write((tx) => ledger.return(tx, debit, { id: 'r1', amount }, 'no'));
  await expect(back(100)).rejects.toThrow(/no such amount/);
  await write((tx) => ledger.refund(tx, debit, refund, 'r'));
  await expect(write((tx) => ledger.refund(tx, debit, refund, 'r'))).rejects.toThrow(/UNIQUE/);
  await expect(back(99)).rejects.toThrow(/no such amount/);
  await back(100);
  await expect(back(100)).rejects.toThrow(/UNIQUE/);
  expect(await book()).toEqual(['authorized 1000', 'captured 1000', 'refunded 100', 'returned 100']);
});
