import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { makeConsoleScenarioRuns } from './console-scenarios.ts';
import { ScenarioFileLister } from './scenario-files.ts';
import { ScenarioReader } from './scenario-reader.ts';

const testInCi = testThoroughly();

const former = process.cwd();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-own-'));
  mkdirSync(join(folder, 'scenarios'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(former);
  rmSync(folder, { recursive: true });
});

interface Listed {
  name: string;
  file: string;
  problem?: string;
}
/**
 * All tests share one thread and one list, because reading the scenarios that come with pinpad takes a second. Each
 * test has files of its own.
 */
const reader = new ScenarioReader();
const shared = makeConsoleScenarioRuns(reader);
const list = async (scenarios = shared) => (await scenarios.list()) as Listed[];
const good = 'name: Mine\nsteps:\n  - pay: 10\n';

test('a wrong file does not hide others, and is listed with its fault', async () => {
  writeFileSync('scenarios/good.yaml', good);
  writeFileSync('scenarios/wrong.yaml', 'name: Wrong\nsteps:\n  - jump: 1\n');
  writeFileSync('scenarios/part.steps.yaml', 'steps:\n  - pay: 10\n');
  const listed = await list();
  expect(listed.slice(0, 2)).toMatchObject([
    { name: 'Mine', file: 'scenarios/good.yaml' },
    {
      file: 'scenarios/wrong.yaml',
      problem: expect.stringContaining('scenarios/wrong.yaml:3:5: jump is not a step'),
    },
  ]);
  expect(listed[0]).not.toHaveProperty('problem');
  expect(listed.length).toBeGreaterThan(100);
  expect(listed.slice(2).filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test('only the first of thousands of faults are named', async () => {
  writeFileSync('scenarios/wrong.yaml', `name: Wrong\nsteps:\n${'  - jump: 1\n'.repeat(2_000)}`);
  const [wrong] = await list();
  expect(wrong?.problem?.split('\n')).toHaveLength(4);
  expect(wrong?.problem).toContain('and 1997 more');
});

test('a file that is too large is not read, and the list says which command runs it', async () => {
  writeFileSync('scenarios/large.yaml', good + '  - pay: 10\n'.repeat(100_000));
  const [large] = await list();
  expect(large?.problem).toContain('at most 1 MB: run the file with pinpad run scenarios/large.yaml');
});

test('a pipe is not read, because perhaps nobody ever writes to it', async () => {
  execFileSync('mkfifo', ['scenarios/pipe.yaml']);
  const [pipe] = await list();
  expect(pipe?.problem).toBe('the file is not a regular file');
});

test('a file is read once, and again when it changes', async () => {
  const read: string[] = [];
  class Counted extends ScenarioReader {
    override list(file: string) {
      read.push(file);
      return file.startsWith('scenarios/') ? reader.list(file) : Promise.resolve([]);
    }
  }
  const files = new ScenarioFileLister(new Counted());
  writeFileSync('scenarios/mine.yaml', good);
  const [first] = await files.read();
  await files.read();
  expect(read.filter((file) => file === 'scenarios/mine.yaml')).toHaveLength(1);
  appendFileSync('scenarios/mine.yaml', '  - jump\n');
  const [second] = await files.read();
  expect([first?.problem, second?.problem]).toEqual([
    undefined,
    expect.stringContaining('jump is not a step'),
  ]);
  expect(new Set(read).size + 1).toBe(read.length);
});

testInCi('a file that takes too long is skipped, and the next one is read', async () => {
  writeFileSync('scenarios/mine.yaml', good);
  const hasty = new ScenarioReader(0.001);
  await expect(hasty.list(longFile())).rejects.toThrow('reading the file takes longer than');
  const [mine] = await reader.list('scenarios/mine.yaml');
  expect(mine?.name).toBe('Mine');
});

testInCi('no file is skipped because the reading thread starts slowly', async () => {
  writeFileSync('scenarios/mine.yaml', good);
  const clock = new VirtualClock({ startMs: 0 });
  const reading = new ScenarioReader(20_000, clock).list('scenarios/mine.yaml');
  await new Promise<void>((resolve) => process.nextTick(resolve)); // at this moment, the reader's thread cannot have started yet
  await clock.advance(60_000);
  await expect(reading).resolves.toMatchObject([{ name: 'Mine' }]);
});

/** Returns a scenario file that takes a while to read. */
function longFile(): string {
  const rows = Array.from({ length: 40 }, (_, row) => `  - { amount: ${row + 1} }\n`).join('');
  const steps = '  - pay: <amount>\n  - tap: visa-credit\n'.repeat(200);
  writeFileSync('scenarios/long.yaml', `name: Pays <amount>\nexamples:\n${rows}steps:\n${steps}`);
  return 'scenarios/long.yaml';
}

test('the main thread is free while files are read', async () => {
  const file = longFile();
  let turns = 0;
  let reading = true;
  const turn = () => {
    turns++;
    if (reading) setImmediate(turn);
  };
  setImmediate(turn);
  const listed = await reader.list(file);
  reading = false;
  expect(listed).toHaveLength(40);
  expect(turns).toBeGreaterThan(100);
});

test('recordings are listed first, and only listed files can be started', async () => {
  const scenarios = makeConsoleScenarioRuns(reader);
  await scenarios.keep(good.replace('Mine', 'Recorded'));
  expect((await list(scenarios))[0]).toMatchObject({ name: 'Recorded', file: 'recorded.yaml' });
  expect(await scenarios.start('../../etc/passwd')).toBe(undefined);
});
