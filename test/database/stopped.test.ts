import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { Database } from '../../shared/database/database.ts';
import { type Things, thingMigrations } from '../../shared/database/things.fixture.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres())('a process that stands still in the middle of a transaction', () => {
  const postgres = prepareDatabasesForFile();

  testInCi(
    'keeps its rows locked for seconds, and then its work is refused and later work is done',
    async () => {
      const url = await (await postgres()).newUrl();
      const database = await Database.open<Things>({ url, clock: systemClock, migrations: thingMigrations });
      onTestFinished(() => database.close());
      await database.commit([{ insert: 'thing', row: { id: 1, name: 'new' } }]);
      const child = spawn(process.execPath, [join(import.meta.dirname, 'stopped-holding.ts'), url]);
      onTestFinished(() => void child.kill('SIGKILL'));
      const lines = createInterface({ input: child.stdout });
      expect(await once(lines, 'line')).toEqual(['holding']);
      child.kill('SIGSTOP');
      const renamed = await database.commit([{ update: 'thing', where: { id: 1 }, set: { name: 'other' } }]);
      expect(renamed).toEqual({ is: 'applied' });
      const said = once(lines, 'line');
      child.kill('SIGCONT');
      child.stdin.write('go on\n');
      expect(await said).toEqual(['{"first":"refused"}']);
      const rows = await database.read((db) => db.selectFrom('thing').selectAll().execute());
      expect(rows).toEqual([{ id: 1, name: 'second' }]);
    },
  );
});
