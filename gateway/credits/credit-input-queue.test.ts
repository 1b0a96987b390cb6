import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { loneGatewayDutyAssigner } from '../engine/duties.ts';
import { EventStore } from '../events/service.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import { openGatewayStore } from '../store/store.ts';
import { creditRow, exampleBank } from './core/credits.fixture.ts';
import { CreditInputQueue } from './credit-input-queue.ts';

/** Opens credits over a database in which a test can change a credit between a decision and its commit. */
async function setup() {
  const runtime = createRuntime({ clock: 'virtual', seed: 7 });
  const store = await openGatewayStore({ file: ':memory:' });
  const events = await EventStore.open(runtime, store);
  const now = runtime.clock.now();
  const credit = { ...creditRow, created_at: now, expires_at: now + 1_000 };
  let commits = 0;
  let meanwhile: (commits: number) => Partial<CreditRow> | undefined = () => undefined;
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    const set = meanwhile(++commits);
    if (set) await store.write((tx) => tx.updateTable('credits').set(set).execute());
    return commit(changes);
  };
  const turns = await CreditInputQueue.open({ runtime, store, events, duties: loneGatewayDutyAssigner });
  onTestFinished(async () => {
    turns.stop();
    await store.close();
  });
  await turns.put(credit.id, { is: 'made', credit });
  commits = 0;
  return {
    turns,
    store,
    id: credit.id,
    commits: () => commits,
    whileWriting(changes: typeof meanwhile) {
      meanwhile = changes;
    },
    stored: () => store.read((tx) => tx.selectFrom('credits').selectAll().executeTakeFirstOrThrow()),
    events: async () => (await events.list({ limit: 100 })).map(({ type }) => type),
  };
}

test('a decision that is refused because of another gateway is made again on what that stored (B311)', async () => {
  const { turns, id, whileWriting, commits, stored, events } = await setup();
  whileWriting((count) => (count === 1 ? { state: 'expired', why: 'elsewhere' } : undefined));
  const { state, refused } = await turns.put(id.toUpperCase(), { is: 'accepted', to: exampleBank });
  expect([state.is, refused, commits()]).toEqual(['expired', { is: 'over' }, 1]);
  expect(await stored()).toMatchObject({ state: 'expired', why: 'elsewhere', bank_masked: null });
  expect(await events()).toEqual(['payments.credits.initiated']);
});

test('a decision that other gateways overtake again and again is made at most thirty times (B311)', async () => {
  const { turns, id, whileWriting, commits, stored } = await setup();
  whileWriting((count) => ({ wrong_answers: -count }));
  await expect(turns.put(id, { is: 'answerTried' })).rejects.toThrow();
  expect([commits(), (await stored()).wrong_answers]).toEqual([30, -30]);
  whileWriting((count) => (count < 60 ? { wrong_answers: -count } : undefined));
  expect(await turns.put(id, { is: 'answerTried' })).toMatchObject({ state: { is: 'initiated' } });
  expect(commits()).toBe(60);
});

test('if an event cannot be stored, nothing of its step is stored, and nobody is notified', async () => {
  const { turns, id, store, stored, events } = await setup();
  const failing = sql`create temp trigger failing before insert on events begin select raise(abort, 'no room'); end`;
  await store.write((tx) => failing.execute(tx));
  await expect(turns.put(id, { is: 'accepted', to: exampleBank })).rejects.toThrow('no room');
  expect([(await stored()).state, await events()]).toEqual(['initiated', ['payments.credits.initiated']]);
});

test('a credit that cannot be stored is tried once, because a second try would decide the same', async () => {
  const { turns, commits } = await setup();
  await expect(turns.put(creditRow.id, { is: 'made', credit: creditRow })).rejects.toThrow();
  expect(commits()).toBe(1);
});
