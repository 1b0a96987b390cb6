import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { makeLocalEnvironmentProvider, parseSchedule } from '../../explore/index.ts';
import { RunMaker, type RunRequest, type RunSettings } from '../../explore/run/run-maker.ts';
import type { RunRecord } from '../../explore/run/run-record.ts';
import type { RunThreadData } from '../../explore/threads/serve-runs.ts';
import { findScenarios } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import { systemRandom } from '../../shared/random.ts';
import { ThreadPool } from '../../shared/threads/thread-pool.ts';
import { PinpadProcess } from '../cli/pinpad-process.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { isThoroughRun } from '../draws.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';
import { seededLines } from '../seeded-lines.ts';

/** `pinpad explore` with runs in several threads (B337). */

const testInCi = testThoroughly();
const withPython = testWith('python3');
const withPythonInCi = testThoroughly('python3');
const docs = readFileSync(join(import.meta.dirname, '../../docs/explore.md'), 'utf8');

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function aProgram(folder: string, text: string): string[] {
  const program = join(folder, 'till.py');
  writeFileSync(program, text);
  return [pythonPath(), '-B', program];
}

const only = (...names: string[]) => names.flatMap((name) => ['--only', name]);

/**
 * Makes an empty file with the number of its worker in its name, and then runs another program. From the third run on,
 * it first waits until a worker with an odd number has begun. If there are two threads, the second thread has the
 * workers with odd numbers.
 */
const noting = `
import os, runpy, sys, time
folder, till = sys.argv[1:]
open(os.path.join(folder, os.environ["PINPAD_WORKER"] + "-" + str(time.time_ns())), "w").close()
def waits():
    workers = [int(name.split("-")[0]) for name in os.listdir(folder)]
    return len(workers) > 2 and not any(worker % 2 for worker in workers)
while waits():
    time.sleep(0.01)
runpy.run_path(till, run_name="__main__")
`;

const faults = ['failAnswer-503', 'dropAnswer', 'dropRequest', 'failRequest-503', 'failAnswer-500'];
const points = [...faults.map((fault) => `${fault}@payment-request.1`), 'silent@host.1', 'decline@host.1'];
/**
 * If the request of a scenario never arrives, the scenario waits ten real seconds for the terminal. So only a thorough
 * run tries these faults with a scenario.
 */
const noRequest = /^(dropRequest|failRequest)/;

const sale = `
name: A sale at the counter
needs: { currency: USD, terminals: [counter] }
steps:
  - pay: 12.50
    as: sale
    terminal: counter
  - tap: visa-credit
  - expect: success
`;

describe('the reports of one thread and of two are the same', () => {
  async function reportsOf(threads: string, folder: string, args: readonly string[], at = points) {
    const [json, page, traces] = ['report.json', 'report.html', 'traces'].map((name) => join(folder, name));
    const files = ['--json', `${json}`, '--html', `${page}`, '--traces', `${traces}`];
    const spread = ['--workers', '4', '--threads', threads];
    const { code, stdout } = await runPinpadInProcess([
      'explore',
      ...spread,
      ...only(...at),
      ...files,
      ...args,
    ]);
    const { timing, ...report } = JSON.parse(readFileSync(`${json}`, 'utf8'));
    expect(timing.runs).toHaveLength(at.length);
    const text = stdout.replace(/the run took [\d.]+ s/, 'the run took 1 s');
    return {
      code,
      text,
      report,
      page: readFileSync(`${page}`, 'utf8'),
      traces: readdirSync(`${traces}`).sort(),
    };
  }

  withPythonInCi('of a command', async () => {
    const folder = aFolder();
    const command = aProgram(folder, noting);
    const program = join(folder, 'sale.py');
    writeFileSync(program, /^```python\n([\s\S]*?)^```/m.exec(docs)?.[1] ?? '');
    const reports = [];
    for (const threads of ['1', '2']) {
      const noted = join(folder, threads);
      mkdirSync(noted);
      const args = ['--shopper', 'visa-credit', '--', ...command, noted, program];
      const made = await reportsOf(threads, folder, args);
      reports.push(JSON.parse(JSON.stringify(made).replaceAll(noted, 'NOTED')));
    }
    expect(reports[0]).toMatchObject({ code: 1, text: expect.stringContaining('✗ ') });
    expect(reports[1]).toEqual(reports[0]);
  });

  testInCi('of a scenario', async () => {
    const folder = aFolder();
    const file = join(folder, 'sale.yaml');
    writeFileSync(file, sale);
    const answered = points.filter((point) => isThoroughRun || !noRequest.test(point));
    const one = await reportsOf('1', folder, [file], answered);
    expect(one).toMatchObject({ code: 1, text: expect.stringContaining('✗ ') });
    expect(await reportsOf('2', folder, [file], answered)).toEqual(one);
  });
});

/** Returns a record as text, without the parts that differ between two runs with the same seed. */
function seeded({ tookMs: _, entries, ...rest }: RunRecord): string {
  const text = JSON.stringify(
    { ...rest, passed: [...rest.passed], entries: seededLines(entries) },
    undefined,
    1,
  );
  return text.replaceAll(/127\.0\.0\.1:\d+/g, 'GATEWAY').replaceAll(/scenario-\w+-/g, 'REQUEST-');
}

testInCi(
  'a run has the same record in another thread, with the same journal except for ports and ids of requests',
  async () => {
    const file = join(aFolder(), 'sale.yaml');
    writeFileSync(file, sale);
    const [scenario] = findScenarios([file]);
    const settings: RunSettings = {
      ...{ argv: [], before: undefined, restart: undefined, pidFile: undefined, env: {}, environment: {} },
      ...{ linger: false, as: undefined, scenario, shopper: undefined },
    };
    const local = { config: undefined, needs: scenario?.needs, port: undefined, seed: 1 };
    const context = { arena: makeLocalEnvironmentProvider(local), clock: systemClock, random: systemRandom };
    const here = await RunMaker.start(settings, { ...context, stopped: new AbortController().signal }, [0]);
    onTestFinished(() => here.close());
    const threads = new ThreadPool<RunRequest, RunRecord>({
      ...{ name: 'runs', threads: 2, workers: 2 },
      program: new URL('../../cli/explore/explore-thread.ts', import.meta.url),
      data: { settings, arena: local } satisfies RunThreadData,
      here: () => new Promise(() => {}),
    });
    onTestFinished(() => threads.close());
    const order = (schedule: string) => ({ schedule: parseSchedule(schedule), limitMs: 60_000 });
    void threads.run(order('decline@host.1')); // this thread has no worker for a second run
    const waiting = isThoroughRun ? ['powerOff@presentCard.1'] : [];
    for (const schedule of ['decline@host.1', 'dropAnswer@payment-request.1', 'silent@host.1', ...waiting]) {
      const record = await threads.run(order(schedule));
      expect(record.entries.length).toBeGreaterThan(10);
      expect(seeded(record)).toEqual(seeded(await here.make(order(schedule), 0)));
    }
  },
);

/**
 * Asks for the terminals. If that fails, starts another program, which asks at another address with the worker's number,
 * and waits there for an answer.
 */
const waiting = `
import os, subprocess, sys, urllib.request
headers = {"Authorization": "Bearer " + os.environ["PINPAD_TOKEN"]}
try:
    urllib.request.urlopen(urllib.request.Request(os.environ["PINPAD_URL"] + "/terminals", headers=headers)).read()
except OSError as error:
    asks = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1])"
    subprocess.run([sys.executable, "-c", asks, sys.argv[1] + os.environ["PINPAD_WORKER"]])
`;

/**
 * Starts an exploration of the program `waiting` with two workers in two threads, and an address that answers
 * nothing.
 */
async function anExploration(env: Record<string, string> = {}) {
  const folder = aFolder();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const explore = new PinpadProcess(
    [
      ...['explore', '--workers', '2', '--threads', '2', '--traces', join(folder, 'traces')],
      ...only('dropRequest@terminals.1', 'dropAnswer@terminals.1'),
      ...['--', ...aProgram(folder, waiting), url],
    ],
    env,
  );
  onTestFinished(() => void explore.child.kill('SIGKILL'));
  const asked = async () => (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { explore, asked };
}

withPython('a stop ends the commands of all threads', async () => {
  const { explore, asked } = await anExploration();
  // Each thread has one worker, so two requests come from two threads.
  const [first] = await asked();
  const [second] = await asked();
  const gone = Promise.all([once(first.socket, 'close'), once(second.socket, 'close')]);
  const { code, stdout } = await explore.stop();
  await gone;
  expect(stdout).toContain('✓ 0 survived    2 not run');
  expect(code).toBe(4);
});

withPythonInCi('if a thread ends, its commands end too, and its runs are made again', async () => {
  const folder = aFolder();
  const [dying, now] = [join(folder, 'dying.mjs'), join(folder, 'now')];
  writeFileSync(
    dying,
    `import { existsSync } from 'node:fs';
     import { workerData } from 'node:worker_threads';
     if (workerData?.workers) setInterval(() => existsSync(${JSON.stringify(now)}) && process.exit(3), 20).unref();`,
  );
  const { explore, asked } = await anExploration({ NODE_OPTIONS: `--import=${dying}` });
  const both = [await asked(), await asked()];
  const [here, there] = both.sort(([one], [other]) => `${one.url}`.localeCompare(`${other.url}`));
  const gone = once(there?.[0].socket as never, 'close');
  writeFileSync(now, '');
  await gone;
  expect(there?.[0].url).toBe('/1');
  const again = asked();
  here?.[1].end();
  const [{ url }, answer] = await again;
  expect(url).toBe('/0');
  answer.end();
  const { code, stdout, stderr } = await explore.ended();
  expect(stderr).toContain('a thread ended (it ended); another thread repeats its runs');
  expect(stdout).toContain('✓ 2 survived');
  expect(code).toBe(0);
});

/** Returns how many threads make runs of an exploration with these options. */
async function threadsWith(...options: readonly string[]): Promise<number> {
  const folder = aFolder();
  const [counting, counted] = [join(folder, 'counting.mjs'), join(folder, 'counted')];
  writeFileSync(
    counting,
    `import { appendFileSync } from 'node:fs';
     import { workerData } from 'node:worker_threads';
     if (workerData?.workers) appendFileSync(${JSON.stringify(counted)}, 'thread\\n');`,
  );
  const scenario = join(folder, 'sale.yaml');
  writeFileSync(scenario, sale);
  const args = ['explore', ...options, '--traces', join(folder, 'traces'), scenario];
  const { code, stderr } = await new PinpadProcess(args, { NODE_OPTIONS: `--import=${counting}` }).ended();
  expect(code, stderr).toBe(0);
  return 1 + (existsSync(counted) ? readFileSync(counted, 'utf8').trim().split('\n').length : 0);
}

testInCi('more threads than workers or runs are not started', async () => {
  const two = only('dropAnswer@status.1', 'decline@host.1');
  expect(await threadsWith(...two, '--workers', '2', '--threads', '8')).toBe(2);
  expect(await threadsWith(...two, '--threads', '8')).toBe(1);
  expect(await threadsWith(...only('decline@host.1'), '--workers', '4', '--threads', '8')).toBe(1);
});
