import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Ledger } from '../acquirer/ledger.ts';
import { loneGatewayDutyAssigner } from '../engine/duties.ts';
import { loneGatewayCopyUpdater } from '../engine/memory-copies.ts';
import { EventStore } from '../events/service.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { RowChange } from '../store/schema.ts';
import { openGatewayStore } from '../store/store.ts';
import { CardAndBankAccountDirectory } from './card-directory.ts';
import { debitRow, exampleCaller, makeSavedCardRow } from './core/debits.fixture.ts';
import { DebitInputQueue } from './debit-input-queue.ts';

const capture = { of: 'debit', is: 'captureAsked', caller: exampleCaller } as const;
const order = {
  of: 'refund',
  is: 'ordered',
  caller: exampleCaller,
  currency: 'EUR',
  reason: 'other',
} as const;

/** Makes a change that another gateway could make to the debit. */
function elsewhere(set: Partial<DebitRow>): RowChange {
  return { update: 'debits', where: { id: debitRow.id }, set };
}

/** Makes a preauthorized debit. The test can change the debit in the database between a decision and its commit. */
async function setup() {
  const runtime = createRuntime({ clock: 'virtual', seed: 7 });
  const store = await openGatewayStore({ file: ':memory:' });
  const events = await EventStore.open(runtime, store);
  const directory = new CardAndBankAccountDirectory(store, loneGatewayCopyUpdater);
  const card = makeSavedCardRow('visa');
  await store.commit([{ insert: 'credit_cards', row: card }]);
  let commits = 0;
  let meanwhile: (commits: number) => RowChange | undefined = () => undefined;
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    const change = meanwhile(++commits);
    if (change) await commit([change]);
    return commit(changes);
  };
  const { dice } = new Ledger(runtime);
  const turns = await DebitInputQueue.open({
    runtime,
    store,
    events,
    directory,
    dice,
    duties: loneGatewayDutyAssigner,
  });
  onTestFinished(async () => {
    turns.stop();
    await store.close();
  });
  const debit = { ...debitRow, created_at: runtime.clock.now() };
  await turns.put(debit.id, { of: 'debit', is: 'holdOrdered', debit, card });
  commits = 0;
  return {
    turns,
    store,
    debit,
    card,
    id: debit.id,
    commits: () => commits,
    whileWriting(changes: typeof meanwhile) {
      meanwhile = changes;
    },
    stored: () => store.read((tx) => tx.selectFrom('debits').selectAll().executeTakeFirstOrThrow()),
    entries: async () =>
      (await store.read((tx) => tx.selectFrom('ledger').select('kind').orderBy('id').execute())).map(
        ({ kind }) => kind,
      ),
    events: async () => (await events.list({ limit: 100 })).map(({ type }) => type),
  };
}

test('a decision that is refused because of another gateway is made again on what that stored (B345)', async () => {
  const { turns, id, whileWriting, commits, stored, entries, events } = await setup();
  whileWriting((count) => (count === 1 ? elsewhere({ state: 'voided', why: 'elsewhere' }) : undefined));
  const { refused } = await turns.put(id.toUpperCase(), capture);
  expect([refused, commits()]).toEqual([{ is: 'over' }, 1]);
  expect(await stored()).toMatchObject({ state: 'voided', why: 'elsewhere', captured_at: null });
  expect([await entries(), await events()]).toEqual([['authorized'], ['payments.debits.preauthorized']]);
});

test('a decision that other gateways overtake again and again is made at most thirty times (B345)', async () => {
  const { turns, id, whileWriting, commits, entries, store } = await setup();
  const anew = async () =>
    store.write((tx) => tx.updateTable('debits').set({ state: 'preauthorized' }).execute());
  const read = store.read.bind(store);
  store.read = async (work) => {
    await anew();
    return read(work);
  };
  whileWriting(() => elsewhere({ state: 'voided' }));
  await expect(turns.put(id, capture)).rejects.toThrow();
  expect([commits(), await entries()]).toEqual([30, ['authorized']]);
  await anew();
  whileWriting((count) => (count < 60 ? elsewhere({ state: 'voided' }) : undefined));
  expect(await turns.put(id, capture)).toMatchObject({ stored: { debit: { state: 'paid' } } });
  expect([commits(), await entries()]).toEqual([60, ['authorized', 'captured']]);
});

test('if an event cannot be stored, nothing of its step is stored, and nobody is notified', async () => {
  const { turns, id, store, stored, entries, events } = await setup();
  const failing = sql`create temp trigger failing before insert on events begin select raise(abort, 'no room'); end`;
  await store.write((tx) => failing.execute(tx));
  await expect(turns.put(id, capture)).rejects.toThrow('no room');
  expect([(await stored()).state, await entries(), await events()]).toEqual([
    'preauthorized',
    ['authorized'],
    ['payments.debits.preauthorized'],
  ]);
});

test('a debit that cannot be stored is tried once, because a second try would decide the same', async () => {
  const { turns, debit, card, commits } = await setup();
  await expect(turns.put(debit.id, { of: 'debit', is: 'chargeOrdered', debit, card })).rejects.toThrow();
  expect(commits()).toBe(1);
});

test('debits used last are kept in memory, and are read again once a batch was refused', async () => {
  const { turns, id, store, whileWriting } = await setup();
  let reads = 0;
  const read = store.read.bind(store);
  store.read = (work) => {
    reads++;
    return read(work);
  };
  await turns.put(id, capture); // this decision reads the card
  await turns.put(id, { ...order, amount: 1, reasonDetails: null });
  expect((await turns.stored(id))?.refunds).toMatchObject([{ status: 'processing', amount: 100 }]);
  expect(reads).toBe(1);
  const refund = (await turns.stored(id))?.refunds[0]?.id ?? '';
  const submit = { of: 'refund', is: 'submitAsked', id: refund } as const;
  whileWriting(() => ({ update: 'refunds', where: { id: refund }, set: { status: 'failed' } }));
  expect(await turns.put(id, submit)).toMatchObject({ refused: { is: 'over' } });
  expect(reads).toBe(2);
});
