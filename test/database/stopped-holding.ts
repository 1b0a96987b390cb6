import { once } from 'node:events';
import { systemClock } from '../../shared/clock.ts';
import { Database } from '../../shared/database/database.ts';
import { isStorageFault } from '../../shared/database/storage-fault.ts';
import { type Things, things } from '../../shared/database/things.fixture.ts';

/** Begins to change a thing, says so, and goes on when it is told to; then changes it once more, and says what became of both. */
const [url = ''] = process.argv.slice(2);
const database = await Database.open<Things>({ url, clock: systemClock, migrations: things });
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
