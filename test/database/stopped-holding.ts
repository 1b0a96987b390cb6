import { once } from 'node:events';
import { systemClock } from '../../shared/clock.ts';
import { Database } from '../../shared/database/database.ts';
import { isStorageFault } from '../../shared/database/storage-fault.ts';
import { type Things, thingMigrations } from '../../shared/database/things.fixture.ts';

/**
 * Begins to change a row, prints a line, and waits until it is told to continue. Then it changes the row once more in
 * the same transaction, and begins another transaction. At the end it prints the outcome of the first transaction.
 */
const [url = ''] = process.argv.slice(2);
const database = await Database.open<Things>({ url, clock: systemClock, migrations: thingMigrations });
const rename = (name: string, meanwhile: () => Promise<unknown> = async () => {}) =>
  database.write(async (db) => {
    await db.updateTable('thing').set({ name }).where('id', '=', 1).execute();
    await meanwhile();
    await db.updateTable('thing').set({ name }).where('id', '=', 1).execute();
  });
const first = await rename('first', () => {
  console.log('holding');
  return once(process.stdin, 'data');
}).catch((error: unknown) => (isStorageFault(error) ? 'refused' : String(error)));
await rename('second');
console.log(JSON.stringify({ first }));
process.stdin.destroy();
await database.close();
