import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, onTestFinished, test } from 'vitest';
import { InFlightCounter } from '../in-flight.ts';
import type { CommitResult, DatabaseChange } from './change.ts';
import type { Database } from './database.ts';

interface Schema {
  account: { id: string; balance: number; version: number; note: string | null };
  entry: { id: string; account_id: string; amount: number };
  total: { account_id: string; amount: number };
}

const migrations: Record<string, Migration> = {
  '0001-book': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('account')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('balance', 'integer', (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('note', 'text')
        .execute();
      await db.schema
        .createTable('entry')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('amount', 'integer', (column) => column.notNull())
        .addForeignKeyConstraint('entry_account', ['account_id'], 'account', ['id'], (constraint) =>
          constraint.deferrable().initiallyDeferred(),
        )
        .execute();
      await db.schema
        .createTable('total')
        .addColumn('account_id', 'text', (column) => column.primaryKey())
        .addColumn('amount', 'integer', (column) => column.notNull())
        .execute();
    },
  },
};

type Open = (options: {
  migrations: Record<string, Migration>;
  inFlight?: InFlightCounter;
}) => Promise<Database<Schema>>;

const account = (id: string, balance = 0): DatabaseChange<Schema> => ({
  insert: 'account',
  row: { id, balance, version: 1, note: null },
});
const entry = (id: string, accountId: string, amount: number): DatabaseChange<Schema> => ({
  insert: 'entry',
  row: { id, account_id: accountId, amount },
});
/** Makes a change that sets an account's balance and raises the account's version by one. */
const move = (id: string, version: number, balance: number): DatabaseChange<Schema> => ({
  update: 'account',
  where: { id, version },
  set: { balance, version: version + 1 },
});

const applied: CommitResult = { is: 'applied' };
const refused = (because: string) =>
  expect.objectContaining({ is: 'refused', because, ...(because === 'version' && { error: moved }) });
const moved = expect.objectContaining({ code: 'VERSION_MOVED' });

/**
 * Tests the promises of `commit` that every kind of database has to keep. Call this inside a `describe`. `fill` fills
 * an open database, so that every write fails, and returns a function that makes room again. Leave `fill` out for a
 * database that cannot be filled in this way. For such a database, test/database/thread.test.ts tests a full disk
 * instead.
 */
export function testCommitContract(
  open: Open,
  fill?: (database: Database<Schema>) => Promise<() => Promise<void>>,
): void {
  const opened = async (inFlight?: InFlightCounter) => {
    const database = await open({ migrations, ...(inFlight ? { inFlight } : {}) });
    onTestFinished(() => database.close());
    return database;
  };
  const accounts = async (database: Database<Schema>) =>
    Object.fromEntries(
      (await database.read((db) => db.selectFrom('account').selectAll().orderBy('id').execute())).map(
        ({ id, balance, version }) => [id, `${balance} v${version}`],
      ),
    );
  const entries = async (database: Database<Schema>) =>
    (await database.read((db) => db.selectFrom('entry').select('id').orderBy('id').execute())).map(
      ({ id }) => id,
    );

  test('a batch inserts, updates and deletes, in its order', async () => {
    const database = await opened();
    expect(
      await database.commit([account('a', 5), move('a', 1, 7), account('b'), entry('e', 'a', 2)]),
    ).toEqual(applied);
    expect(await database.commit([{ delete: 'account', where: { id: 'b' } }, account('b', 1)])).toEqual(
      applied,
    );
    expect([await accounts(database), await entries(database)]).toEqual([{ a: '7 v2', b: '1 v1' }, ['e']]);
  });

  test('in one turn, a batch that breaks a rule is refused alone and completely, and results come in order', async () => {
    const database = await opened();
    const order: number[] = [];
    const batches = [
      [account('a')],
      [account('b'), account('a')],
      [entry('e', 'a', 1), move('a', 1, 1)],
      [entry('f', 'a', 1), { update: 'account', where: { id: 'a' }, set: { balance: null as never } }],
      [account('c')],
    ] satisfies DatabaseChange<Schema>[][];
    const results = batches.map(async (batch, index) => {
      const result = await database.commit(batch);
      order.push(index);
      return result;
    });
    expect(await Promise.all(results)).toEqual([
      applied,
      refused('constraint'),
      applied,
      refused('constraint'),
      applied,
    ]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect([await accounts(database), await entries(database)]).toEqual([{ a: '1 v2', c: '0 v1' }, ['e']]);
  });

  test('a batch that is alone in its turn is also refused completely', async () => {
    const database = await opened();
    await database.commit([account('a')]);
    expect(await database.commit([account('b'), account('a')])).toEqual(refused('constraint'));
    expect(await accounts(database)).toEqual({ a: '0 v1' });
  });

  test('of two decisions on one version the second is refused, and so is any on a deleted row', async () => {
    const database = await opened();
    await database.commit([account('a')]);
    const results = [
      database.commit([move('a', 1, 10), entry('e', 'a', 10)]),
      database.commit([entry('f', 'a', 20), move('a', 1, 20)]),
      database.commit([{ delete: 'account', where: { id: 'nobody' } }]),
      database.commit([{ delete: 'account', where: { id: 'nobody' }, rows: 'any' }]),
    ];
    expect(await Promise.all(results)).toEqual([applied, refused('version'), refused('version'), applied]);
    expect([await accounts(database), await entries(database)]).toEqual([{ a: '10 v2' }, ['e']]);
  });

  test('a change must affect exactly one row unless it says otherwise', async () => {
    const database = await opened();
    await database.commit([account('a'), account('b')]);
    const raise = { update: 'account', where: { version: 1 }, set: { balance: 9 } } as const;
    expect(await database.commit([raise])).toEqual(refused('version'));
    expect(await database.commit([{ ...raise, rows: 'any' }])).toEqual(applied);
    expect(await accounts(database)).toEqual({ a: '9 v1', b: '9 v1' });
  });

  test('an add makes its row or adds to it, and is refused if the sum would exceed the maximum', async () => {
    const database = await opened();
    const add = (by: number, atMost = 10): DatabaseChange<Schema> => ({
      add: 'total',
      where: { account_id: 'a' },
      to: 'amount',
      by,
      atMost,
    });
    const results = [add(6), add(5), add(4), add(1), add(-10), add(3)].map((change, at) =>
      database.commit([account(`account ${at}`), change]),
    );
    expect(await Promise.all(results)).toEqual([
      applied,
      refused('version'),
      applied,
      refused('version'),
      applied,
      applied,
    ]);
    const totals = await database.read((db) => db.selectFrom('total').selectAll().execute());
    expect(totals).toEqual([{ account_id: 'a', amount: 3 }]);
    expect(Object.keys(await accounts(database))).toEqual([
      'account 0',
      'account 2',
      'account 4',
      'account 5',
    ]);
  });

  test('a hold changes nothing, and refuses the batch unless there is exactly one such row', async () => {
    const database = await opened();
    await database.commit([account('a'), account('b'), account('c', 5)]);
    const held = (where: { id?: string; version?: number; note?: null }) =>
      database.commit([{ hold: 'account', where }, move('c', 1, 6)]);
    const results = [
      await held({ id: 'nobody' }),
      await held({ version: 1, note: null }),
      await held({ id: 'a', version: 2 }),
      await held({ id: 'a', version: 1 }),
    ];
    const version = refused('version');
    expect(results).toEqual([version, version, version, applied]);
    expect(await accounts(database)).toEqual({ a: '0 v1', b: '0 v1', c: '6 v2' });
  });

  test('null is a value that can be searched for', async () => {
    const database = await opened();
    await database.commit([account('a'), account('b')]);
    await database.commit([{ update: 'account', where: { id: 'a' }, set: { note: 'seen' } }]);
    await database.commit([{ update: 'account', where: { note: null }, set: { balance: 3, note: null } }]);
    await database.commit([{ update: 'account', where: { note: 'seen' }, set: { balance: 4 } }]);
    expect(await accounts(database)).toEqual({ a: '4 v1', b: '3 v1' });
  });

  test('a search for an empty list finds nothing', async () => {
    const database = await opened();
    await database.commit([account('a')]);
    expect(
      await database.read((db) => db.selectFrom('account').select('id').where('id', 'in', []).execute()),
    ).toEqual([]);
  });

  test('a rule that is checked at the commit refuses only the batch of its turn that breaks it', async () => {
    const database = await opened();
    const results = [[account('a')], [entry('e', 'nobody', 1)], [account('b')]].map((batch) =>
      database.commit(batch),
    );
    expect(await Promise.all(results)).toEqual([applied, refused('constraint'), applied]);
    expect([await accounts(database), await entries(database)]).toEqual([{ a: '0 v1', b: '0 v1' }, []]);
  });

  test('a change without a required value fails as a defect for the caller, before anything is written', async () => {
    const database = await opened();
    const missing = [{ update: 'account', where: { id: undefined as never }, set: { balance: 1 } }] as const;
    const all = [{ delete: 'account', where: {}, rows: 'any' }] as const;
    const other = database.commit([account('a')]);
    await expect(database.commit(missing)).rejects.toThrow('account.id is undefined');
    await expect(database.commit(all)).rejects.toThrow('names no columns');
    await expect(database.commit([{ delete: 'wrong' as 'entry', where: { id: 'a' } }])).rejects.toThrow(
      'wrong',
    );
    expect(await other).toEqual(applied);
  });

  test('batches and units of work are executed in the order in which they were requested', async () => {
    const database = await opened();
    const [, seen] = await Promise.all([
      database.commit([account('a', 1)]),
      database.write((unit) => unit.selectFrom('account').select('balance').executeTakeFirst()),
      database.commit([move('a', 1, 2)]),
    ]);
    expect(seen).toEqual({ balance: 1 });
    expect(await accounts(database)).toEqual({ a: '2 v2' });
  });

  test('a batch is in flight until it is applied or refused', async () => {
    const inFlight = new InFlightCounter();
    const database = await opened(inFlight);
    for (const result of [applied, refused('constraint')]) {
      const committing = database.commit([account('a')]);
      expect(inFlight.idle).toBe(false);
      expect(await committing).toEqual(result);
      expect(inFlight.idle).toBe(true);
    }
  });

  test.runIf(fill)(
    'on a full disk batches are refused and known not to be applied, and later ones are applied',
    async () => {
      const database = await opened();
      await database.commit([account('a')]);
      const empty = await fill?.(database);
      const results = [account('b'), account('c')].map((change) => database.commit([change]));
      expect(await Promise.all(results)).toEqual([refused('storage'), refused('storage')]);
      expect(await database.commit([account('d')])).toEqual(refused('storage'));
      await empty?.();
      expect(await database.commit([account('e')])).toEqual(applied);
      expect(await accounts(database)).toEqual({ a: '0 v1', e: '0 v1' });
    },
  );

  test('closing waits until the requested work is done', async () => {
    const database = await open({ migrations });
    const committing = database.commit([account('a')]);
    await database.close();
    expect(await committing).toEqual(applied);
  });
}
