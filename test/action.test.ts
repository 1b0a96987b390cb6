import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { sampleCases } from './draws.ts';
import { testThoroughly } from './optional-programs.ts';

/**
 * Tests the scripts of pinpad's Action for GitHub, with the files and variables that GitHub's runner gives to a step.
 */

/** The longest of these tests run only in `.ci/run`, because each starts pinpad and four scripts or more. */
const testInCi = testThoroughly();
const root = join(import.meta.dirname, '..');
const scripts = join(root, '.github/actions');

interface Action {
  inputs: Record<string, unknown>;
  runs: { steps: { run?: string; uses?: string; env?: Record<string, string> }[] };
}
const actions = ['action.yml', '.github/actions/finish/action.yml'].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** Plays GitHub's runner for one job: what a step appends to the runner's files is given to the next step. */
function runner(variables: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-action-'));
  const file = (name: string) => {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };
  const env = file('env');
  const files = { GITHUB_ENV: env, GITHUB_OUTPUT: file('output'), GITHUB_STEP_SUMMARY: file('summary') };
  const job = () => Object.fromEntries(lines(env).map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []));
  onTestFinished(() => {
    const pid = Number(job().PINPAD_PID);
    if (pid) kill(pid);
    rmSync(folder, { recursive: true });
  });
  const step = async (script: string) => {
    const around = { RUNNER_TEMP: folder, GITHUB_WORKSPACE: folder, ...files, ...variables, ...job() };
    const options = { env: { ...process.env, ...around } };
    return promisify(execFile)(process.execPath, [join(scripts, script)], options).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    );
  };
  return { folder, job, step, summary: () => readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

const lines = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean);

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has already ended
  }
}

/**
 * Sends a payment request without an idempotency key, and does not wait for the answer. Lint has a rule against each of
 * these mistakes.
 */
async function sellWrongly({ PINPAD_URL, PINPAD_TOKEN, PINPAD_TERMINAL }: Record<string, string>) {
  const body = JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 1 } } });
  const headers = { Authorization: `Bearer ${PINPAD_TOKEN}`, 'Content-Type': 'application/json' };
  const sent = { method: 'POST', headers, body };
  const { status } = await fetch(`${PINPAD_URL}/terminals/${PINPAD_TERMINAL}/payment-request`, sent);
  expect(status).toBe(200);
}

testInCi(
  'the Action starts pinpad, gives its addresses to the job, and stores trace and findings',
  async () => {
    const { job, step, summary } = runner({ OPTIONS: '--auto visa-credit', LINT: 'error' });
    const started = await step('start.js');
    expect(started, JSON.stringify(started)).toMatchObject({ code: 0 });
    expect(started.stdout).toContain(`::add-mask::${job().PINPAD_TOKEN}`);
    await sellWrongly(job());
    const { PINPAD_URL, PINPAD_FOLDER } = job();
    const finished = await step('finish.js');
    expect(finished, JSON.stringify(finished)).toMatchObject({ code: 1 });
    expect(finished.stdout).toContain('::error title=Mistakes of the point of sale::');
    expect(summary()).toContain('Mistakes of the point of sale');
    for (const file of ['trace.html', 'findings.txt', 'pinpad.log'])
      expect(existsSync(join(PINPAD_FOLDER as string, 'artifact', file)), file).toBe(true);
    await expect(fetch(`${PINPAD_URL}/health`)).rejects.toThrow();
  },
);

test('a pinpad that cannot start fails the step, with its output', async () => {
  const { job, step } = runner({ OPTIONS: '--config nothing.yaml' });
  const started = (await step('start.js')) as { code: number; stdout: string; stderr: string };
  expect(started.code).toBe(1);
  expect(started.stdout).toMatch(/::error title=pinpad did not start::pinpad ended with 2: .*nothing\.yaml/);
  expect(started.stderr).toContain('nothing.yaml');
  expect(job()).toEqual({});
  const finished = await step('finish.js');
  expect([finished.code, finished.stdout]).toEqual([0, expect.stringContaining('nothing to stop')]);
});

testInCi(
  'a job that starts pinpad twice gets an error, and gets a new one after the first has finished',
  async () => {
    const { job, step } = runner({ OPTIONS: '--auto visa-credit' });
    expect(await step('start.js')).toMatchObject({ code: 0 });
    const first = job();
    await sellWrongly(first);
    expect(await step('start.js')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('already running'),
    });
    expect(job()).toEqual(first);
    expect((await step('finish.js')).stdout).toContain('Mistakes of the point of sale');
    expect((await step('finish.js')).stdout).toContain('nothing to stop');
    expect(await step('start.js')).toMatchObject({ code: 0 });
    expect(job().PINPAD_TOKEN).not.toBe(first.PINPAD_TOKEN);
    expect(await step('finish.js')).toMatchObject({ code: 0, stdout: '' });
  },
);

testInCi.each(sampleCases([['error', 1] as const, ['warning', 0] as const], 2))(
  'if pinpad died, nothing was checked, and with lint: %s the step ends with %i',
  async (LINT, code) => {
    const { job, step } = runner({ LINT });
    expect(await step('start.js')).toMatchObject({ code: 0 });
    const { PINPAD_PID, PINPAD_FOLDER } = job();
    kill(Number(PINPAD_PID));
    const stdout = expect.stringContaining(
      `::${LINT} title=pinpad::The requests of the point of sale could not be checked: `,
    );
    expect(await step('finish.js')).toMatchObject({ code, stdout });
    expect(existsSync(join(PINPAD_FOLDER as string, 'artifact/pinpad.log'))).toBe(true);
  },
);

testInCi('an option may be in quotes and may span several lines', async () => {
  const options = '--config "my pinpad.yaml"\n--auto=\'visa-credit\'\n';
  const { folder, job, step } = runner({ OPTIONS: options });
  const terminals = '[{ poiId: V400m-100000009 }]';
  const stores = `[{ name: Shop, address: 1 Test Street, terminals: ${terminals} }]`;
  const config = `accounts: [{ name: Shop, currency: EUR, stores: ${stores} }]`;
  writeFileSync(join(folder, 'my pinpad.yaml'), config);
  expect(await step('start.js')).toMatchObject({ code: 0 });
  expect(job().PINPAD_POI_ID).toBe('V400m-100000009');
  await step('finish.js');
});

test('an invalid lint setting fails the start', async () => {
  const { step } = runner({ LINT: 'Error' });
  const stdout = expect.stringContaining('not "Error"');
  expect(await step('start.js')).toMatchObject({ code: 1, stdout });
});

test.each(actions)('$path names existing inputs, existing scripts, and pinned actions', ({ text }) => {
  const { inputs, runs } = parse(text) as Action;
  for (const [, name] of text.matchAll(/\$\{\{ inputs\.(\w+)/g))
    expect(inputs).toHaveProperty(name as string);
  const named = [...text.matchAll(/(\w+\.js)"/g)].map(([, name]) => name as string);
  expect(named).toContain('finish.js');
  for (const name of named) expect(existsSync(join(scripts, name)), name).toBe(true);
  for (const { uses } of runs.steps) if (uses) expect(uses).toMatch(/@[0-9a-f]{40}$/);
});
