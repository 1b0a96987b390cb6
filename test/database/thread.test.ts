import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../shared/database/database.ts';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { SmallDisk, testWithMounts } from '../small-disk.ts';
import { numberMigrations, type Schema } from './numbers.ts';

const testInCi = testThoroughly();

async function opened(file: string) {
  const database = await Database.open<Schema>({ file, migrations: numberMigrations, threadAfter: 0 });
  onTestFinished(() => database.close());
  return database;
}

const stored = async (database: Database<Schema>) =>
  (await database.read((db) => db.selectFrom('number').select('n').orderBy('n').execute())).map(({ n }) => n);
const add = (n: number) => ({ insert: 'number', row: { n } }) as const;

/** Runs the program that commits numbers. The thread that writes the numbers dies at the fifth commit. */
function commitUntil(death: string, file: string) {
  const here = import.meta.dirname;
  const preload = pathToFileURL(join(here, 'dying-thread.ts')).href;
  const options = ['--import', preload, ...(death === 'no memory' ? ['--max-old-space-size=50'] : [])];
  return spawnSync(process.execPath, [...options, join(here, 'committing.ts'), file], {
    encoding: 'utf8',
    env: { ...process.env, DEATH: death },
  });
}

test.each(
  sampleCases(
    [
      ['an error', 'died: Error: a defect'],
      ['its end', 'died: it ended with 7'],
      ['no memory', 'ERR_WORKER_OUT_OF_MEMORY'],
      ['an I/O error', 'it is unknown whether a commit reached the disk: disk I/O error'],
    ] as const,
    3,
  ),
)(
  'a thread that ends by %s ends the process with one line, and acknowledged work is on disk (B137)',
  async (death, line) => {
    const file = temporaryDatabaseFile();
    const { status, stdout, stderr } = commitUntil(death, file);
    expect(status).toBe(1);
    const ours = stderr.split('\n').filter((text) => text.startsWith('pinpad: '));
    expect(ours).toEqual([expect.stringContaining(line)]);
    if (death !== 'no memory') expect(stderr.trim()).toBe(ours[0]); // if memory runs out, V8 prints a trace, too
    const acknowledged = stdout.trim().split('\n').map(Number);
    expect(acknowledged.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect((await stored(await opened(file))).slice(0, acknowledged.length)).toEqual(acknowledged);
  },
);

test.each([
  ['a thread', 0, 'removed'],
  ['the main thread', 50, 'removed'],
  ['the main thread', 50, 'replaced'],
])(
  'a commit that %s makes (threadAfter %i) to a file that was %s is not acknowledged, and the process ends (B137)',
  async (_, threadAfter, how) => {
    const file = temporaryDatabaseFile();
    for (const change of ['batch', 'unit'] as const) {
      const ended = Promise.withResolvers<string>();
      const options = { file, migrations: numberMigrations, threadAfter, giveUp: ended.resolve };
      const database = await Database.open<Schema>(options);
      onTestFinished(() => database.close());
      expect(await database.commit([add(1)])).toEqual({ is: 'applied' });
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`);
      if (how === 'replaced') writeFileSync(file, '');
      const acknowledged =
        change === 'batch'
          ? database.commit([add(2)])
          : database.write((db) => db.insertInto('number').values({ n: 2 }).execute());
      expect(await Promise.race([acknowledged, ended.promise])).toBe(
        `it is unknown whether a commit reached the disk: ${file} was removed or replaced while it was in use`,
      );
      if (how === 'replaced') rmSync(file);
    }
  },
);

test('a process that changes its working folder continues to write to the file that it opened (B137)', async () => {
  const [file, before] = [temporaryDatabaseFile(), process.cwd()];
  onTestFinished(() => process.chdir(before));
  process.chdir(dirname(file));
  const failed = Promise.withResolvers<string>();
  const options = {
    file: basename(file),
    migrations: numberMigrations,
    threadAfter: 1,
    giveUp: failed.resolve,
  };
  const database = await Database.open<Schema>(options);
  onTestFinished(() => database.close());
  process.chdir(before);
  for (let n = 0; n < 3; n++)
    expect(await Promise.race([database.commit([add(n)]), failed.promise])).toEqual({ is: 'applied' });
});

testWith('prlimit').each([0, 2])(
  'a process that can start no more threads writes without a thread (threadAfter %i)',
  async (threadAfter) => {
    const file = temporaryDatabaseFile();
    chmodSync(dirname(file), 0o777); // the process gives up the rights of root
    const program = join(import.meta.dirname, 'committing-without-threads.ts');
    const ran = spawnSync(process.execPath, [program, file, String(threadAfter)], { encoding: 'utf8' });
    expect(ran).toMatchObject({ status: 0, stdout: '1\n2\n3\n4\n', stderr: '' });
    expect(await stored(await opened(file))).toEqual([1, 2, 3, 4]);
  },
);

testWithMounts()(
  'on a disk that is full the thread refuses batches, and applies later ones (B68)',
  async () => {
    const disk = SmallDisk.mount();
    onTestFinished(() => disk.unmount());
    const database = await opened(join(disk.folder, 'small.sqlite'));
    expect(await database.commit([add(1)])).toEqual({ is: 'applied' });
    disk.fill();
    const refused = expect.objectContaining({ is: 'refused', because: 'storage' });
    // Some rows still fit into the space that SQLite reserved for its log. After that, there is no room for another
    // row.
    let n = 2;
    while ((await database.commit([add(n)])).is === 'applied') n++;
    const results = [add(n), add(n + 1)].map((change) => database.commit([change]));
    expect(await Promise.all(results)).toEqual([refused, refused]);
    disk.empty();
    expect(await database.commit([add(0)])).toEqual({ is: 'applied' });
    expect(await stored(database)).toEqual(Array.from({ length: n }, (_, each) => each));
  },
);

testInCi('a thread takes over while batches arrive, and none is lost or done twice', async () => {
  const file = temporaryDatabaseFile();
  const database = await Database.open<Schema>({ file, migrations: numberMigrations, threadAfter: 10 });
  const results: Promise<unknown>[] = [];
  const until = performance.now() + 300;
  while (performance.now() < until) {
    results.push(database.commit([add(results.length)]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(new Set((await Promise.all(results)).map((result) => JSON.stringify(result)))).toEqual(
    new Set(['{"is":"applied"}']),
  );
  await database.close();
  expect(await stored(await opened(file))).toEqual(results.map((_, n) => n));
});

test('a thread that is just starting ends by itself if the database closes', async () => {
  const started = once(process, 'worker') as Promise<[Worker]>;
  const database = await Database.open<Schema>({
    file: temporaryDatabaseFile(),
    migrations: numberMigrations,
    threadAfter: 1,
  });
  await Promise.all([database.commit([add(1)]), database.commit([add(2)])]);
  const [thread] = await started;
  const ended = once(thread, 'exit');
  await once(thread, 'online');
  await database.close();
  expect(await ended).toEqual([0]);
});

testInCi('a database of another process is not opened, even while only a thread writes', async () => {
  const file = temporaryDatabaseFile();
  const options = { file, migrations: numberMigrations, threadAfter: 0, exclusive: true };
  const database = await Database.open<Schema>(options);
  onTestFinished(() => database.close());
  await database.commit([add(1)]);
  const program = `
    import { Database } from '${pathToFileURL(join(import.meta.dirname, '../../shared/database/database.ts'))}';
    import { numberMigrations } from '${pathToFileURL(join(import.meta.dirname, 'numbers.ts'))}';
    await Database.open({ file: '${file}', migrations: numberMigrations, exclusive: true }).catch(({ code }) => console.log(code));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
    encoding: 'utf8',
  });
  expect(stdout.trim()).toBe('SQLITE_BUSY');
});
