import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { resolveConfig, StartError, startStack } from '../../stack/index.ts';
import { SmallDisk, testWithMounts } from '../small-disk.ts';

/**
 * Starts stacks with data that cannot be used. Such a start fails with one line, which names the data and says what
 * to do. The data stay unchanged.
 */

const start = (data: string) => startStack(resolveConfig(undefined, { port: 0, data, pacing: 'instant' }));

/** Makes a folder with the data of a stack that has ended. */
async function usedFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stack = await start(folder);
  await stack.close();
  return folder;
}

const runningFile = new URL('../../stack/running-file.ts', import.meta.url).href;

const damaged = 'it is damaged: replace it by a copy, or move it away and start without its data';

function overwrite(file: string, from: number): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, from));
}

test.each([
  ['the pages of pinpad.sqlite', 'pinpad.sqlite', (file: string) => overwrite(file, 8_192), damaged],
  ['all of pinpad.sqlite', 'pinpad.sqlite', (file: string) => overwrite(file, 0), damaged],
  ['the pages of terminals.sqlite', 'terminals.sqlite', (file: string) => overwrite(file, 4_096), damaged],
  ['all of terminals.sqlite', 'terminals.sqlite', (file: string) => overwrite(file, 0), damaged],
  [
    'a newer release',
    'terminals.sqlite',
    (file: string) => {
      const database = new SQLite(file);
      database.exec("insert into kysely_migration values ('9999-colours', '2030-01-01')");
      database.close();
    },
    'a newer release has changed the data (9999-colours): start that release',
  ],
])('%s: a start reports it, changes nothing, and releases the folder', async (_what, name, damage, why) => {
  const folder = await usedFolder();
  const file = join(folder, name);
  const whole = readFileSync(file);
  damage(file);
  const before = readFileSync(file);
  const started = start(folder);
  await expect(started).rejects.toThrow(StartError);
  await expect(started).rejects.toThrow(`cannot keep data in ${file}: ${why}`);
  expect(readFileSync(file).equals(before)).toBe(true);
  writeFileSync(file, whole);
  await (await start(folder)).close();
});

const noted =
  'but credentials.json says that this file holds the data of the folder. Restore this file from a backup. ' +
  'To start without the data, remove "database" from credentials.json. If the data is in PostgreSQL now, use --database';

test.each([
  ['is missing', 'it is not there', (file: string) => rmSync(file)],
  ['was emptied', 'it is empty', (file: string) => writeFileSync(file, '')],
  [
    'was made anew',
    'it is empty',
    (file: string) => {
      rmSync(file);
      const database = new SQLite(file);
      database.exec('create table one (x); drop table one');
      database.close();
    },
  ],
])(
  'a pinpad.sqlite that %s is refused if the folder had one, until its note is removed (B194)',
  async (what, how, damage) => {
    const folder = await usedFolder();
    const [file, log, credentials] = ['pinpad.sqlite', 'pinpad.sqlite-wal', 'credentials.json'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const tokens = readFileSync(credentials, 'utf8');
    damage(file);
    writeFileSync(log, 'what is left of it');
    await expect(start(folder)).rejects.toThrow(
      new StartError(`cannot keep data in ${file}: ${how}, ${noted}`),
    );
    if (how === 'it is not there') expect(existsSync(file)).toBe(false);
    if (what !== 'was made anew') expect(readFileSync(log, 'utf8')).toBe('what is left of it');
    const rest = tokens.replace(/^.*"database".*\n/m, '');
    writeFileSync(credentials, rest);
    await (await start(folder)).close();
    expect(readFileSync(credentials, 'utf8')).toBe(tokens);
  },
);

test('a folder without a note starts with an empty pinpad.sqlite, and makes the note then (B194)', async () => {
  const folder = await usedFolder();
  const [file, credentials] = [join(folder, 'pinpad.sqlite'), join(folder, 'credentials.json')];
  const { database: note, ...secrets } = JSON.parse(readFileSync(credentials, 'utf8'));
  expect(note).toBe('pinpad.sqlite');
  writeFileSync(credentials, JSON.stringify(secrets));
  writeFileSync(file, '');
  await (await start(folder)).close();
  expect(JSON.parse(readFileSync(credentials, 'utf8'))).toEqual({ database: note, ...secrets });
});

test('damaged pages that are found by a later read also end a start in one line', async () => {
  const folder = await usedFolder();
  const file = join(folder, 'pinpad.sqlite');
  const database = new SQLite(file);
  const { rootpage } = database.prepare("select rootpage from sqlite_master where name = 'stores'").get() as {
    rootpage: number;
  };
  const page = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, (rootpage - 1) * page, rootpage * page));
  await expect(start(folder)).rejects.toThrow(new StartError(`cannot keep data in ${folder}: ${damaged}`));
});

test("a folder in place of the terminals' memory file is reported as such, and its mode stays", async () => {
  const folder = await usedFolder();
  const file = join(folder, 'terminals.sqlite');
  rmSync(file);
  mkdirSync(file, { mode: 0o700 });
  const { mode } = statSync(file);
  await expect(start(folder)).rejects.toThrow(`cannot keep data in ${file}: it is a folder`);
  expect(statSync(file).mode).toBe(mode);
});

test.each(['pinpad.sqlite', 'pinpad.sqlite-lock', 'terminals.sqlite', 'credentials.json'])(
  'something other than a file in place of %s is reported as such, and its mode stays',
  async (name) => {
    const folder = await usedFolder();
    const file = join(folder, name);
    rmSync(file);
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    symlinkSync(socket, file);
    const { mode } = statSync(socket);
    await expect(start(folder)).rejects.toThrow(StartError);
    await expect(start(folder)).rejects.toThrow(/^(cannot keep data in )?\S+.*\bit is not a file/);
    expect(statSync(socket).mode).toBe(mode);
  },
);

test('a pipe in place of running.json delays nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-pipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync('mkfifo', [join(folder, 'running.json')]);
  const program = `import { readRunningNote } from ${JSON.stringify(runningFile)}; console.log(readRunningNote(process.argv[1]));`;
  const args = ['--input-type=module', '-e', program, folder];
  const options = { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' } as const;
  expect(execFileSync(process.execPath, args, options)).toBe('undefined\n');
});

testWithMounts().each([16, 64, 300, 420, 500])('a disk of %i kB is said to be full', async (kilobytes) => {
  const disk = SmallDisk.mount(kilobytes / 1024);
  onTestFinished(() => disk.unmount());
  await expect(start(join(disk.folder, 'data'))).rejects.toThrow(
    /^cannot keep data in \S+: (no space left on the disk|the disk cannot be read or written: it may be full)$/,
  );
});
