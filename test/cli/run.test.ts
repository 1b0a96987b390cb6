import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess } from './pinpad-process.ts';
import { runPinpadInProcess } from './run-pinpad-in-process.ts';

const testInCi = testThoroughly();

/** Runs `pinpad run` as a person or a CI job does. */

let folder: string;
const running: PinpadProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-run-'));
});
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function pinpad(args: string[], env: Record<string, string> = {}): PinpadProcess {
  const started = new PinpadProcess(args, { GITHUB_ACTIONS: '', ...env });
  running.push(started);
  return started;
}

const run = (args: string[], env: Record<string, string> = {}) =>
  runPinpadInProcess(['run', ...args], { GITHUB_ACTIONS: '', ...env });

function scenario(file: string, text: string): string {
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

const good = 'name: Good\nsteps:\n  - pay: 10\n    key: k\n  - tap: phone\n  - expect: success\n';
const careless = 'name: Careless\nsteps:\n  - pay: 10\n  - tap: phone\n  - expect: success\n';
const bad = 'name: Bad\nsteps:\n  - pay: 10\n    key: k\n  - cancel\n  - expect: success\n';
const endless = 'name: Slow\nsteps:\n  - pay: 10\n  - restart gateway\n  - tap: phone\n';

describe('pinpad run', () => {
  testInCi('reports stored values that cannot be written in one line, and keeps the outcome', async () => {
    const path = scenario('good.yaml', `${good}  - expect: { answer: { body: { stored: result } } }\n`);
    const stored = join(folder, 'good.stored.yaml');
    mkdirSync(`${stored}.new`); // this folder has the name of the file that has to be written
    const { code, stdout, stderr } = await run([path, '--update']);
    expect(stderr).toBe(`pinpad: cannot write ${stored}: it is a folder\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('1 passed') });
    expect(existsSync(stored)).toBe(false);
  });

  test.runIf(existsSync('/dev/full'))(
    'reports an unwritable report or trace in one line each, and keeps the outcome',
    async () => {
      writeFileSync(join(folder, 'traces'), '');
      const files = ['--junit', '/dev/full', '--trace', 'on', '--traces', join(folder, 'traces')];
      const { code, stdout, stderr } = await run([scenario('good.yaml', good), ...files]);
      expect(stderr.trimEnd().split('\n')).toEqual([
        `pinpad: cannot write ${join(folder, 'traces', 'good.good.1.html')}: a part of its path is a file`,
        'pinpad: cannot write /dev/full: no space left on the disk',
      ]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('1 passed') });
      const failed = await run([scenario('bad.yaml', bad), '--json', '/dev/full']);
      expect(failed).toMatchObject({ code: 2, stdout: expect.stringContaining('1 failed') });
    },
  );

  test('ends with 0, 1 or 2: all passed, some failed, nothing was run', async () => {
    expect(await pinpad(['run', scenario('good.yaml', good)]).ended()).toMatchObject({ code: 0 });
    const failed = await run([scenario('bad.yaml', bad), '--trace', 'retain-on-failure', '--traces', folder]);
    expect(failed.code).toBe(1);
    const trace = join(folder, 'bad.bad.1.html');
    expect(failed.stdout).toContain(`trace: ${trace}`);
    expect(failed.stdout).toContain(`\ntrace: ${trace}\n`);
    expect(existsSync(trace)).toBe(true);
    for (const args of [[join(folder, 'none')], [scenario('wrong.yaml', 'name: Wrong\n')], ['--grep', '(']])
      expect(await run(args)).toMatchObject({ code: 2, stdout: '' });
  });

  test('reports a broken link plainly, both of a scenario and of a report', async () => {
    const link = join(folder, 'link.yaml');
    symlinkSync('nowhere.yaml', link);
    expect((await run([link])).stderr).toContain(
      'link.yaml:1:1: cannot be read: there is no such file or folder',
    );
    const report = join(folder, 'report.xml');
    symlinkSync('gone/report.xml', report);
    expect(await run([scenario('good.yaml', good), '--junit', report])).toMatchObject({
      code: 2,
      stderr: `pinpad: cannot write ${report}: there is no such file or folder\n`,
    });
  });

  test('removes control sequences of a file from its output', async () => {
    const text = bad.replace('Bad', '"a\\e[2Jb"').replace('- cancel', '- cancel # \u001b[31m');
    const { stdout } = await run([scenario('bad.yaml', text)]);
    expect(stdout).toContain('a?[2Jb');
    expect(stdout).not.toContain('\u001b');
  });

  test('selects by exact name before it tries a pattern', async () => {
    scenario('a.yaml', good.replace('Good', 'A (small) sale'));
    scenario('b.yaml', good.replace('Good', 'A (small) sale, twice'));
    const { stdout } = await run([folder, '--list', '--grep', 'A (small) sale']);
    expect(stdout).toMatch(/^\S*a\.yaml:1 {2}A \(small\) sale\n$/);
  });

  test('reports mistakes of the POS in summary and reports, and fails for them on request', async () => {
    const file = scenario('careless.yaml', careless);
    const reports = ['--junit', join(folder, 'r.xml'), '--json', join(folder, 'r.json')];
    const reported = await run([file, ...reports], { GITHUB_ACTIONS: 'true' });
    expect(reported.code).toBe(0);
    expect(reported.stdout).toContain('(--lint shows all): missing-key in 1 scenario');
    expect(reported.stdout).toMatch(/^::warning file=.*careless\.yaml,line=1,.*::missing-key/m);
    expect(readFileSync(join(folder, 'r.xml'), 'utf8')).toContain('<system-out>missing-key (1, warning)');
    const { scenarios } = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'));
    expect(scenarios).toMatchObject([{ findings: [{ rule: 'missing-key', severity: 'warning' }] }]);
    const judged = await run([file, '--lint']);
    expect(judged.code).toBe(1);
    expect(judged.stdout).toMatch(
      /careless\.yaml:1 Careless: POST .* came without an Idempotency-Key\n.*why:.*\n.*fix:/,
    );
  });

  test('can be ended by Ctrl-C: it reports what was run, leaves no folder, and ends with 130', async () => {
    const report = join(folder, 'r.json');
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    const kept = () => readdirSync(temporary).filter((name) => name.startsWith('pinpad-'));
    const args = ['run', scenario('a.yaml', endless), scenario('b.yaml', good), '--slow', '--json', report];
    const slow = pinpad(args, { TMPDIR: temporary });
    await slow.printed('restart gateway');
    expect(kept()).toHaveLength(1);
    expect(await slow.stop('SIGINT')).toMatchObject({ code: 130 });
    const { passed, notRun } = JSON.parse(readFileSync(report, 'utf8'));
    // the first scenario has 2 s to end (run-scenarios.test.ts), so whether it passes depends on this machine
    expect(passed + notRun).toBe(2);
    expect(notRun).toBeGreaterThan(0);
    expect(kept()).toEqual([]);
  });

  testInCi('runs a changed file again, reports errors in it, and continues', async () => {
    const file = scenario('a.yaml', bad);
    const watching = pinpad(['run', folder, '--watch']);
    await watching.printed('Waiting for changes');
    writeFileSync(file, 'name: Broken\n');
    await watching.logged('a.yaml:1:1');
    writeFileSync(file, good);
    await watching.printed('1 passed');
    expect(await watching.stop('SIGINT')).toMatchObject({ code: 130 });
  });

  testInCi('says that a watched folder is gone, and ends', async () => {
    scenario('good.yaml', good);
    const elsewhere = mkdtempSync(join(tmpdir(), 'pinpad-run-')); // the folder that is watched
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    writeFileSync(join(elsewhere, 'other.yaml'), good.replace('Good', 'Other'));
    const watching = pinpad(['run', folder, elsewhere, '--watch']);
    await watching.printed('Waiting for changes');
    rmSync(folder, { recursive: true });
    const { code, stderr } = await watching.ended();
    expect(code).toBe(2);
    // other lines may have been printed before
    expect(stderr).toMatch(/(^|\n)pinpad: --watch: \S+ no longer exists\n$/);
  });

  test('does not take PINPAD_JSON, a switch of other commands, for a file', async () => {
    const file = join(folder, 'report.json');
    const { code } = await run([scenario('good.yaml', good)], { PINPAD_JSON: file });
    expect([code, existsSync(file)]).toEqual([0, false]);
  });

  testInCi('runs on an existing gateway, traces it, and judges the POS that uses it meanwhile', async () => {
    const gateway = await pinpad([
      'up',
      '--json',
      '--memory',
      '--port',
      '0',
      '--auto',
      'visa-credit',
      '--pacing',
      'instant',
    ]).ready();
    const file = scenario(
      'a.yaml',
      `${good}  - request: GET /terminals\n  - expect: { journal: { kind: http.received, data: { path: /terminals }, times: 1 } }\n`,
    );
    const report = join(folder, 'r.json');
    const where = ['--gateway', gateway.url, '--control-token', gateway.controlToken];
    const ran = pinpad([
      'run',
      file,
      ...where,
      '--repeat',
      '20',
      '--trace',
      'on',
      '--traces',
      folder,
      '--json',
      report,
      '--lint',
    ]);
    await ran.printed('✓');
    const answer = await fetch(
      `${gateway.url}/terminals/${gateway.terminals[0]?.identifier}/payment-request`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 7 } } }),
      },
    );
    expect(answer.status).toBe(200);
    const { code, stdout } = await ran.ended();
    expect(stdout).toContain('20 passed');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /Mistakes of the point of sale that used the gateway during the run:\n\nmissing-key/,
    );
    const { pointOfSale, scenarios } = JSON.parse(readFileSync(report, 'utf8'));
    expect(pointOfSale).toMatchObject([{ rule: 'missing-key' }]);
    const page = readFileSync(scenarios[0].trace, 'utf8');
    expect(page).toContain('"steps":[{"text":"pay: 10');
    expect(page).not.toContain(gateway.controlToken);
  });
});

describe('pinpad run with several threads', () => {
  /** Writes ten good scenarios and a bad one, so that there are enough for a second thread. */
  function several(): string {
    for (let nth = 0; nth < 10; nth++) scenario(`good-${nth}.yaml`, good.replace('Good', `Good ${nth}`));
    scenario('wrong.yaml', bad);
    return folder;
  }

  /** Returns a report without the times that scenarios took. */
  const reported = (file: string) => readFileSync(file, 'utf8').replaceAll(/"tookMs": \d+/g, '"tookMs": 0');

  testInCi('writes the same reports and traces as one thread', async () => {
    several();
    const reports = [];
    for (const threads of ['1', '2']) {
      const [json, traces] = [join(folder, `${threads}.json`), join(folder, `traces-${threads}`)];
      const args = [folder, '--threads', threads, '--json', json, '--trace', 'on', '--traces', traces];
      const { code, stderr } = await pinpad(['run', ...args]).ended();
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      reports.push([reported(json).replaceAll(traces, 'TRACES'), readdirSync(traces).sort()]);
    }
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[0]?.[1]).toHaveLength(11);
  });

  testInCi(
    "counts a thread's current scenario as failed if it ends, and the other threads run the rest",
    async () => {
      several();
      rmSync(join(folder, 'wrong.yaml'));
      const dying = join(folder, 'dying.mjs');
      writeFileSync(
        dying,
        `import { parentPort } from 'node:worker_threads';
       parentPort?.on('message', (said) => { if (said?.job) process.exit(3); });`,
      );
      const args = ['--threads', '2', '--workers', '2', '--repeat', '8'];
      const dies = pinpad(['run', folder, ...args], { NODE_OPTIONS: `--import=${dying}` });
      const { code, stdout } = await dies.ended();
      expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('1 failed') });
      expect(stdout).toContain('the thread that ran this scenario ended');
      expect(stdout).toContain('79 passed');
    },
  );
});
