import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished } from 'vitest';
import { listAllFaults, scheduleText } from '../../explore/index.ts';
import { findScenarios, runScenario } from '../../scenarios/index.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';

/**
 * Runs `pinpad explore` as users type it, with points of sale in Python, and with only a few of the possible faults.
 */

const test = testWith('python3');
const drivers = join(import.meta.dirname, 'drivers');
const answered = 'failAnswer-503@payment-request.1';
const lost = 'dropAnswer@payment-request.1';
const silent = 'silent@host.1';
const points = [answered, lost, silent];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function exploring(driver: string, only: readonly string[], ...more: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-explore-test-'));
  folders.push(folder);
  const options = only.flatMap((point) => ['--only', point]);
  const traces = ['--traces', join(folder, 'traces')];
  const command = [pythonPath(), '-B', join(drivers, `${driver}.py`)];
  const given = more.map((text) => text.replace('FOLDER', folder));
  const ended = await runPinpadInProcess([
    ...['explore', '--shopper', 'visa-credit', ...options, ...traces, ...given],
    ...['--', ...command],
  ]);
  return { ...ended, folder };
}

async function scenarioOf(file: string) {
  const [scenario] = findScenarios([file]);
  if (!scenario) throw new Error(`no scenario in ${file}`);
  return runScenario(scenario);
}

/** One exploration of a naive POS, which writes all reports. Several tests look at its results. */
let naive: ReturnType<typeof exploring> | undefined;
function exploringNaive() {
  const reports = [
    '--json',
    'FOLDER/report.json',
    '--html',
    'FOLDER/report.html',
    '--junit',
    'FOLDER/report.xml',
  ];
  naive ??= exploring('naive', points, ...reports, '--record', 'FOLDER/red');
  return naive;
}

describe('pinpad explore', () => {
  test('finds the mistakes of a naive POS after a 503 and a lost answer (B303, B304)', async () => {
    const { code, stdout, folder } = await exploringNaive();
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('the beliefs of your point of sale were said');
    expect(stdout).toContain('✗ 2 failures of 2 causes    ✓ 1 survived');
    expect(stdout).toContain('The customer paid 12.5, but your point of sale believes "not paid"');
    expect(stdout).toContain('The customer was charged 25 instead of 12.5');
    expect(stdout).toContain(`pinpad explore --only ${answered} --shopper visa-credit -- ${pythonPath()}`);
    const { runs, failures } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    expect(runs.map(({ schedule, verdict }: Record<string, string>) => [schedule, verdict])).toEqual([
      [answered, 'paidBelievedUnpaid'],
      [lost, 'chargedTwice'],
      [silent, 'survived'],
    ]);
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    const junit = readFileSync(join(folder, 'report.xml'), 'utf8');
    for (const { cause, mend } of failures as { cause: string[]; mend: string }[])
      for (const sentence of [...cause, mend]) {
        expect(stdout).toContain(sentence);
        expect(page).toContain(sentence);
        expect(junit).toContain(sentence);
      }
    const traces = [...page.matchAll(/<td[^>]*><a href="([^"]+)"/g)].map(([, to = '']) =>
      decodeURIComponent(to),
    );
    expect(traces).toHaveLength(3);
    for (const trace of traces) expect(existsSync(join(folder, trace)), trace).toBe(true);
    expect(junit).toContain('tests="3" failures="2"');
  });

  testThoroughly('python3')(
    'prints each cause when it is found, during the run, and where its page is (B388, B392)',
    async () => {
      const { folder, stderr, stdout } = await exploringNaive();
      const [, first = '', mend, second = ''] = stderr
        .split('\n')
        .filter((line) => !/^ {2}\d+ of \d+/.test(line));
      expect(first).toBe(
        `  ✗ ${answered}: The customer paid 12.5, but your point of sale believes "not paid"`,
      );
      expect(mend).toMatch(/^ {4}mend {2}after a hang-up, a timeout or a 5xx, ask for the status/);
      expect(second).toContain(`✗ ${lost}: The customer was charged 25`);
      expect(stdout).toContain('runs     11: 2 without faults, 3 with faults, and 6 to repeat failures');
      expect(stdout).toContain(`page     ${join(folder, 'traces', 'only.html')}`);
      expect(existsSync(join(folder, 'traces', 'only.html'))).toBe(true);
      // A page with the name index.html would replace the page of the whole exploration, which the console shows.
      expect(existsSync(join(folder, 'traces', 'index.html'))).toBe(false);
    },
  );

  testThoroughly('python3')(
    'records each failure as a scenario that fails until its requests are corrected (B307)',
    async () => {
      const { folder, stdout } = await exploringNaive();
      expect(stdout).toContain(`recorded ${join(folder, 'red', `${answered}.yaml`)}`);
      const failing = await scenarioOf(join(folder, 'red', `${answered}.yaml`));
      expect(failing.failure?.message).toMatch(/the POS was never told the outcome of payment/);
      const twice = await scenarioOf(join(folder, 'red', `${lost}.yaml`));
      expect(twice.failure?.message).toMatch(/ledger.authorized/);
      const file = join(folder, 'red', `${answered}.yaml`);
      const asked = readFileSync(file, 'utf8').replace(
        '  - control: DELETE /faults',
        '  - ask status: sale\n$&',
      );
      writeFileSync(file, asked);
      expect((await scenarioOf(file)).failure).toBeUndefined();
    },
  );

  test('says that a careful POS survives the same faults (B304)', async () => {
    const { code, stdout } = await exploring('careful', points);
    expect(stdout).toContain('✓ 3 survived');
    expect(code).toBe(0);
  });

  testThoroughly('python3')('ends with 0 if a file lists each failure as known (B304)', async () => {
    const known = join(mkdtempSync(join(tmpdir(), 'pinpad-known-')), 'known.txt');
    onTestFinished(() => rmSync(join(known, '..'), { recursive: true, force: true }));
    writeFileSync(known, `# until the POS asks again\n${answered}   # issue 7\n`);
    const { code, stdout } = await exploring('naive', [answered], '--known', known);
    expect(stdout).toContain('1 known');
    expect(code).toBe(0);
  });

  test('ends with 2 if the command sends no request, and lists the variables (B304)', async () => {
    const { code, stderr } = await runPinpadInProcess(['explore', '--', 'python3', '-c', 'print("hello")']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/PINPAD_URL.*PINPAD_TOKEN.*PINPAD_TERMINAL[\s\S]*hello/);
  });

  test.each([
    ['dropAnswer@payment.1', 'which is not a moment; did you mean payment-request? (pinpad explore --list)'],
    [
      'dropAnswer@paymnt-request.1',
      'which is not a moment; did you mean payment-request? (pinpad explore --list)',
    ],
  ])('ends with 2 if there is no such moment, and names similar ones: %s (B304)', async (only, said) => {
    const { code, stderr } = await runPinpadInProcess(['explore', '--only', only, '--', 'no-such-program']);
    expect(stderr).toContain(`pinpad: ${only}: dropAnswer cannot happen at ${only.slice(11, -2)}, ${said}`);
    expect(code).toBe(2);
  });

  test('ends with 2 if there is no such program, and says so (B304)', async () => {
    const { code, stderr } = await runPinpadInProcess(['explore', '--', 'no-such-program']);
    expect(stderr).toBe('pinpad: no-such-program cannot be started: there is no such program\n');
    expect(code).toBe(2);
  });

  testThoroughly('python3')('says so if nobody presents a card, and which option does (B394)', async () => {
    const asking = [
      'import os, urllib.request as u',
      'headers = {"Authorization": "Bearer " + os.environ["PINPAD_TOKEN"], "Content-Type": "application/json"}',
      'url = os.environ["PINPAD_URL"] + "/terminals/" + os.environ["PINPAD_TERMINAL"] + "/payment-request"',
      'body = b\'{"paymentTransaction": {"amountsReq": {"requestedAmount": 5}}}\'',
      'try: u.urlopen(u.Request(url, body, headers), timeout=1)',
      'except OSError: pass',
    ];
    const command = [pythonPath(), '-c', asking.join('\n')];
    const traces = mkdtempSync(join(tmpdir(), 'pinpad-explore-test-'));
    onTestFinished(() => rmSync(traces, { recursive: true, force: true }));
    const options = ['--limit', '0 s', '--traces', traces];
    const { stderr } = await runPinpadInProcess(['explore', ...options, '--', ...command]);
    expect(stderr).toContain(
      'pinpad: no card was presented: use --shopper visa-credit to present one at each payment',
    );
    const { stderr: with_ } = await runPinpadInProcess([
      'explore',
      '--shopper',
      'visa-credit',
      ...options,
      '--',
      ...command,
    ]);
    expect(with_).not.toContain('no card was presented');
  });

  test('ends with 2 if there is no such card, and lists the cards (B304)', async () => {
    const { code, stderr } = await runPinpadInProcess([
      'explore',
      '--shopper',
      'nocard',
      '--',
      'python3',
      '-c',
      '',
    ]);
    expect(stderr).toMatch(/^pinpad: --shopper nocard: is not the id of a card; known cards: .*visa-credit/);
    expect(code).toBe(2);
  });

  test('ends with 3 if the command fails without any fault (B304)', async () => {
    const asking =
      'import os, urllib.request as u\nu.urlopen(u.Request(os.environ["PINPAD_URL"] + "/terminals", headers={"Authorization": "Bearer " + os.environ["PINPAD_TOKEN"]}))\nprint("failed"); exit(7)';
    const { code, stdout } = await runPinpadInProcess(['explore', '--', 'python3', '-c', asking]);
    expect(stdout).toMatch(/ended with 7, although there was no fault[\s\S]*failed/);
    expect(code).toBe(3);
  });

  test('ends with 2 if the configuration has a database, and says what to leave out (B382)', async () => {
    const config = join(mkdtempSync(join(tmpdir(), 'pinpad-config-')), 'pinpad.yaml');
    onTestFinished(() => rmSync(join(config, '..'), { recursive: true, force: true }));
    writeFileSync(config, 'database: postgres://nobody@127.0.0.1:1/none\n');
    const { code, stderr } = await runPinpadInProcess([
      'explore',
      '--config',
      config,
      '--',
      'no-such-program',
    ]);
    expect(stderr).toBe(
      `pinpad: "pinpad explore" starts a gateway without stored data for each run: leave the setting "database" out of ${config}, or use --gateway to explore the gateways of that database\n`,
    );
    expect(code).toBe(2);
  });

  test('can list every fault at every moment, without running anything (B383)', async () => {
    const { code, stdout } = await runPinpadInProcess(['explore', '--list', '--', 'no-such-program']);
    const lines = stdout.trimEnd().split('\n');
    const names = lines.map((line) => line.replace(/ .*/, ''));
    expect(names).toEqual(listAllFaults().map((planned) => scheduleText([planned])));
    expect(names.length).toBeGreaterThan(150);
    expect(lines).toContainEqual(
      expect.stringMatching(/^powerOff-never@pin\.1 +the terminal loses power and stays away at pin #1$/),
    );
    expect(code).toBe(0);
    const none = await runPinpadInProcess(['explore']);
    expect(none.stderr).toBe(
      'pinpad: give the command that makes the sale (after --), or give a scenario file\n',
    );
    expect(none.code).toBe(2);
  });

  test('reads the file of known failures before it runs anything (B304)', async () => {
    const { code, stderr } = await runPinpadInProcess([
      'explore',
      '--known',
      'no/such',
      '--',
      'no-such-program',
    ]);
    expect(stderr).toMatch(/--known, no.such: there is no such file/);
    expect(code).toBe(2);
  });
});
