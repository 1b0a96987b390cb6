import { Database } from '../../shared/database/database.ts';
import { numberMigrations, type Schema } from './numbers.ts';

/** Writes numbers to a file through a thread, one by one, and prints each number whose write was acknowledged. */
const [file = ''] = process.argv.slice(2);
const database = await Database.open<Schema>({ file, migrations: numberMigrations, threadAfter: 0 });
for (let n = 1; n <= 20; n++) {
  const result = await database.commit([{ insert: 'number', row: { n } }]);
  if (result.is === 'applied') console.log(n);
}
await database.close();
