import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { smallClone } from '../scripts/background-bundle/small-clone.fixture.ts';
import { Journal } from '../shared/journal.ts';
import { VirtualClock } from '../shared/virtual-clock.ts';
import { testThoroughly, testWith } from '../test/optional-programs.ts';
import { runWhenJournalQuiet } from './bundle-later.ts';

test('begins once nothing has happened for ten seconds', async () => {
  const { clock, journal, did, end } = setup();
  await clock.advance(9_000);
  journal.add('warning', { message: 'something happens' });
  await clock.advance(9_999);
  expect(did).toEqual([]);
  await clock.advance(1);
  expect(did).toEqual(['begun']);
  await clock.advance(60_000);
  expect(did).toEqual(['begun']);
  end();
  expect(did).toEqual(['begun', 'ended']);
});

test('does not begin after it was ended', async () => {
  const { clock, did, end } = setup();
  end();
  await clock.advance(60_000);
  expect(did).toEqual([]);
});

test('waits ten seconds even if the wall clock is set meanwhile', async () => {
  const { clock, journal, did } = setup();
  clock.setWallClock(-3_600_000);
  journal.add('warning', { message: 'something happens' });
  clock.setWallClock(7_200_000);
  await clock.advance(9_999);
  expect(did).toEqual([]);
  await clock.advance(1);
  expect(did).toEqual(['begun']);
});

function setup() {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const journal = new Journal(clock);
  const did: string[] = [];
  const end = runWhenJournalQuiet({ journal, clock, quietMs: 10_000 }, () => {
    did.push('begun');
    return () => void did.push('ended');
  });
  return { clock, journal, did, end };
}

testThoroughly('socat')('in a terminal window, the bundle of a clone is made in the background', async () => {
  const { clone, run } = window();
  const { stdout } = run();
  expect(await text(stdout)).toMatch(/^\d+\nmade\n$/);
  expect(clone.bundles()).toHaveLength(1);
});

testWith('socat').each([
  { CI: 'true' },
  { VITEST: 'true' },
  { NODE_ENV: 'test' },
  { NODE_TEST_CONTEXT: 'child-v8' },
  { NODE_OPTIONS: '--no-deprecation' },
  { WATCH_REPORT_DEPENDENCIES: '1' },
])('nothing is made with %j', async (env) => {
  const { clone, run } = window();
  expect(await text(run(env).stdout)).toMatch(/^\d+\n$/);
  expect(clone.bundles()).toEqual([]);
});

test('nothing is made without a terminal window', async () => {
  const { clone, command } = window();
  const { stdout } = spawn(process.execPath, command, {
    env: asIfStarted({}),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await text(stdout)).toMatch(/^\d+\n$/);
  expect(clone.bundles()).toEqual([]);
});

testThoroughly('socat')('the making ends with pinpad even if pinpad is killed', async () => {
  const { clone, run } = window();
  const gate = await clone.openGate();
  const lines = createInterface(run({ ASK: gate.url }).stdout);
  const [pid] = (await once(lines, 'line')) as [string];
  await gate.asked;
  expect(clone.bundles()).toHaveLength(1);
  const cut = gate.cut(); // resolves when the process that makes the bundle ends
  process.kill(Number(pid), 'SIGKILL');
  await cut;
  expect(clone.bundles()).toEqual([]);
});

/**
 * Makes a small clone, and a function that runs a program of the clone in a terminal window. The program begins to
 * bundle the clone at once, because the program's journal never gets a new entry, and the required quiet time is 0 ms.
 */
function window() {
  const clone = smallClone();
  clone.copy('cli/bundle-later.ts');
  const program = `
    const { bundleInBackgroundIfOutdated } = await import(${JSON.stringify(join(clone.root, 'cli/bundle-later.ts'))});
    const { systemClock } = await import(${JSON.stringify(join(clone.root, 'shared/clock.ts'))});
    console.log(String(process.pid));
    bundleInBackgroundIfOutdated({ journal: { listen: () => () => {} }, realClock: systemClock }, console.log, 0);`;
  clone.write('window.mjs', program);
  const command = [join(clone.root, 'window.mjs')];
  const run = (env: NodeJS.ProcessEnv = {}) => {
    const exec = `EXEC:${process.execPath} ${command.join(' ')},pty,raw,echo=0`;
    const socat = spawn('socat', ['-t60', '-u', exec, 'STDOUT'], {
      env: asIfStarted(env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void socat.kill('SIGKILL'));
    return socat;
  };
  return { clone, run, command };
}

/**
 * Returns the environment variables that a person's terminal window would have, and in addition the variables in `env`.
 */
function asIfStarted(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { CI, NODE_ENV, NODE_OPTIONS, NODE_TEST_CONTEXT, VITEST, ...rest } = process.env;
  return { ...rest, ...env };
}
