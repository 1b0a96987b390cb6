import SQLite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../shared/database/database.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { numberMigrations, type Schema } from './numbers.ts';

/**
 * A write that takes less time than this counts as quick. Even on a busy machine, a write is quick unless the test
 * delays it.
 */
const quickMs = 150;

/**
 * Counts the commits that this thread makes itself, and delays each of these commits by `delayMs`, as a slow disk
 * would.
 */
function commitsHere() {
  const commits = { count: 0, delayMs: 0 };
  const probe = new SQLite(':memory:');
  const statements = Object.getPrototypeOf(probe.prepare('select 1')) as {
    run(this: SQLite.Statement): unknown;
  };
  probe.close();
  const { run } = statements;
  statements.run = function (this: SQLite.Statement, ...values: []) {
    if (this.source === 'commit') {
      commits.count++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commits.delayMs);
    }
    return run.apply(this, values);
  };
  onTestFinished(() => {
    statements.run = run;
  });
  return commits;
}

async function opened() {
  const file = temporaryDatabaseFile();
  const open = () =>
    Database.open<Schema>({ file, migrations: numberMigrations, threadAfter: 0, quickMs, survives: 'kill' });
  const database = await open();
  const here = commitsHere();
  let stored = 0;
  const add = () => database.commit([{ insert: 'number', row: { n: ++stored } }]);
  /** Adds numbers until this thread has written a number itself. Until then, the writing thread writes the numbers. */
  const addUntilHere = async () => {
    for (const before = here.count; here.count === before; ) await add();
  };
  /** Returns the numbers that the next process will find in the file. */
  const left = async () => {
    await database.close();
    const again = await open();
    onTestFinished(() => again.close());
    return again.read((db) => db.selectFrom('number').select('n').orderBy('n').execute());
  };
  return {
    add,
    addUntilHere,
    here,
    left,
    all: () => Array.from({ length: stored }, (_, n) => ({ n: n + 1 })),
  };
}

test('one slow write makes this thread leave the next write to the other thread', async () => {
  const { add, addUntilHere, here, left, all } = await opened();
  await addUntilHere();
  here.delayMs = quickMs;
  await addUntilHere();
  const slow = here.count;
  for (let nth = 0; nth < 8; nth++) expect(await add()).toEqual({ is: 'applied' });
  expect(here.count).toBe(slow);
  expect(await left()).toEqual(all());
});

test('batches that come together are left to the other thread, even on a quick disk', async () => {
  const { add, addUntilHere, here, left, all } = await opened();
  await addUntilHere();
  const quick = here.count;
  await Promise.all([add(), add()]);
  await Promise.all([add(), add()]);
  expect(here.count).toBe(quick);
  expect(await left()).toEqual(all());
});
