import { Database } from '../../shared/database/database.ts';
import { refuseThreads } from '../refuse-threads.ts';
import { numberMigrations, type Schema } from './numbers.ts';

/** Writes numbers to a file while the process can start no thread, and prints each number that was acknowledged. */
const [file = '', threadAfter] = process.argv.slice(2);
await refuseThreads();
const database = await Database.open<Schema>({
  file,
  migrations: numberMigrations,
  exclusive: true,
  threadAfter: Number(threadAfter),
});
for (let n = 1; n <= 4; n++) {
  const result = await database.commit([{ insert: 'number', row: { n } }]);
  if (result.is === 'applied') console.log(n);
}
await database.close();
