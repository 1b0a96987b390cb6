import { expect, onTestFinished, test } from 'vitest';
import { Database } from './database.ts';
import { temporaryDatabaseFile } from './temporary-file.fixture.ts';
import { readThingIds, type Things, thingMigrations } from './things.fixture.ts';

/**
 * Tests that an abandoned database ends as if its process had been killed, although the process continues to run
 * (B282).
 */

async function opened(file: string, threadAfter: number) {
  const giveUp = (why: string) => expect.fail(why);
  const database = await Database.open<Things>({
    file,
    migrations: thingMigrations,
    exclusive: true,
    threadAfter,
    giveUp,
  });
  const add = (id: number) => database.commit([{ insert: 'thing', row: { id, name: 'x' } }]);
  return { database, add };
}

const heard = (asked: Promise<unknown>) => {
  let said = 'nothing';
  asked.then(
    () => {
      said = 'done';
    },
    () => {
      said = 'failed';
    },
  );
  return () => said;
};

test.each([
  ['this thread writes', 1000],
  ['another thread writes', 0],
])('writes that were not handed over are lost if %s', async (_, threadAfter) => {
  const file = temporaryDatabaseFile();
  const { database, add } = await opened(file, threadAfter);
  await add(1);
  const asked = [
    add(2),
    database.write((db) => db.insertInto('thing').values({ id: 3, name: 'x' }).execute()),
    database.read((db) => db.selectFrom('thing').select('id').execute()),
  ].map(heard);
  await database.abandon();
  const later = [add(4), database.read((db) => db.selectFrom('thing').select('id').execute())].map(heard);
  const next = await opened(file, threadAfter);
  onTestFinished(() => next.database.close());
  expect(await readThingIds(next.database)).toEqual([1]);
  await next.add(2);
  expect(await readThingIds(next.database)).toEqual([1, 2]);
  expect([...asked, ...later].map((said) => said())).toEqual(Array(5).fill('nothing'));
});

test('a transaction that is under way is rolled back', async () => {
  const file = temporaryDatabaseFile();
  const { database } = await opened(file, 1000);
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const writing = heard(
    database.write(async (db) => {
      await db.insertInto('thing').values({ id: 1, name: 'x' }).execute();
      began();
      await db.insertInto('thing').values({ id: 2, name: 'x' }).execute();
    }),
  );
  await begun;
  await database.abandon();
  const next = await opened(file, 1000);
  onTestFinished(() => next.database.close());
  expect(await readThingIds(next.database)).toEqual([]);
  expect(writing()).toBe('nothing');
});
