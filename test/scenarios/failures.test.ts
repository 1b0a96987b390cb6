import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  findScenarios,
  formatGithubAnnotations,
  junitXml,
  makeRunJsonReport,
  plainPaint,
  runScenario,
  runScenarios,
} from '../../scenarios/index.ts';
import { failureReportText } from '../../scenarios/report/text.ts';
import { systemClock } from '../../shared/clock.ts';

/** The messages that the author of a wrong scenario sees, and what reports say about a scenario that fails. */

let folder: string | undefined;
afterEach(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

function scenarioFile(text: string, name = 'scenario.yaml'): string {
  folder ??= mkdtempSync(join(tmpdir(), 'scenarios-'));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function ran(text: string) {
  const [scenario] = findScenarios([scenarioFile(text)]);
  if (!scenario) throw new Error('there is no scenario');
  return runScenario(scenario);
}

test('a different outcome is reported with its place, its step, the expected value and the actual value', async () => {
  const result = await ran('name: Wrong\nsteps:\n  - pay: 10\n  - cancel\n  - expect: success\n');
  expect(result.verdict).toBe('failed');
  const text = failureReportText(result, plainPaint);
  expect(text).toMatch(/scenario\.yaml:5:5/);
  expect(text).toContain('    4 |   - cancel\n  > 5 |   - expect: success\n');
  expect(text).toContain('    outcome\n      expected success\n      received cancel\n');
  expect(text).toMatch(/V400m-100000001 shows idle/);
  expect(text).toMatch(/again: pinpad run .*scenario\.yaml --grep "Wrong" --seed 1/);
});

test('the differing value is coloured, in its field, with the fields around it', async () => {
  const result = await ran(
    'name: Wrong\nsteps:\n  - pay: 10\n  - tap: phone\n  - expect:\n      answer: { body: { response: { result: failure, outcome: 1 } } }\n',
  );
  const text = failureReportText(result, {
    ...plainPaint,
    good: (part) => `<${part}>`,
    bad: (part) => `{${part}}`,
  });
  expect(text).toContain(
    'answer.body.response.result\n      expected <"failure">\n      received {"success"}\n',
  );
  expect(text).toMatch(
    /response\.outcome\n +expected <1>\n +received \{nothing beside result, additionalResponse/,
  );
});

test('a path that does not exist, or is not a scenario, is named as such', () => {
  expect(() => findScenarios(['/nope'])).toThrow('/nope does not exist');
  expect(() => findScenarios([scenarioFile('# Title', 'README.md')])).toThrow(
    /README\.md is not a scenario: scenarios are files that end in \.yaml or \.yml/,
  );
  expect(() => findScenarios(['no*such.yaml'])).toThrow('no scenarios in no*such.yaml');
});

test('a path that cannot be read is refused with the reason, and so is a folder without permission', () => {
  const loop = join(scenarioFile('', 'beside'), '..', 'loop');
  symlinkSync('loop', loop);
  expect(() => findScenarios([loop])).toThrow(new RegExp(`^${loop} cannot be read: ELOOP: `));
  if (process.getuid?.() === 0) return; // permissions do not apply to root
  const locked = mkdtempSync(join(folder as string, 'locked-'));
  chmodSync(locked, 0);
  try {
    expect(() => findScenarios([locked])).toThrow(`${locked} cannot be read: EACCES: permission denied`);
  } finally {
    chmodSync(locked, 0o700); // without these permissions, the folder could not be removed
  }
});

test('a shopper who waits in vain says for what, how long, and what the screen shows', async () => {
  const { failure } = await ran('name: Wrong\nsteps:\n  - pay: 10\n  - pin: right\n');
  expect(failure?.at.line).toBe(4);
  expect(failure?.message).toMatch(
    /waited 10 s for the screen pin; V400m-100000001 shows presentCard: Present card/,
  );
});

test('an answer that does not arrive in time fails the scenario in virtual time', async () => {
  const { failure, tookMs } = await ran(
    'name: Wrong\nsteps:\n  - pay: 10\n  - expect: success\n    within: 100 s\n',
  );
  expect(failure?.message).toMatch(/is not answered yet \(waited 100 s\)/);
  expect(tookMs).toBeLessThan(10_000);
});

test('a branch that fails fails the scenario at the failed step', async () => {
  const { failure } = await ran(
    'name: Wrong\nsteps:\n  - together:\n      pos:\n        - pay: 10\n        - expect: success\n      customer:\n        - cancel\n',
  );
  expect(failure?.at.line).toBe(6);
});

test('the step meanwhile runs beside the following steps, and its failure fails the scenario', async () => {
  const good = await ran(
    'name: Good\nsteps:\n  - meanwhile:\n      - insert: visa-credit\n      - pin: right\n  - pay: 10\n  - expect: success\n',
  );
  expect(good.failure).toBeUndefined();
  const bad = await ran('name: Bad\nsteps:\n  - meanwhile:\n      - tap: no-such-card\n  - pay: 10\n');
  expect(bad.failure?.at.line).toBe(4);
  expect(bad.failure?.message).toMatch(/404 notFound/);
});

test.each([
  ['- jump: 1', /scenario\.yaml:3:5: jump is not a step; steps are: pay, /],
  ['- pay', /scenario\.yaml:3:5: pay needs a value/],
  [
    '- pay: 10\n    tips: true',
    /scenario\.yaml:4:5: tips is not known here; did you mean tip\? Allowed: pay, terminal, /,
  ],
  [
    '- pay: 10\n    tip: { precent: [5] }',
    /:4:12: tip: precent is not known here; did you mean percent\? Allowed: percent, fixed, custom$/,
  ],
  [
    '- key in: 4111',
    /:3:13: key in: must be the 12 to 19 digits of a card number, a space, and the expiry as MMYY$/,
  ],
  ['- key in: 4111 1111 1111 1111 12/49', /:3:13: key in: must be the 12 to 19 digits/],
  ['- pin: 1234', /:3:10: pin: must be `right`, `wrong`, or 4 to 6 digits in quotes, such as pin: "1234"$/],
  ['- pin: rihgt', /:3:10: pin: must be `right`, `wrong`, or 4 to 6 digits in quotes, such as pin: "1234"$/],
  [
    '- pay: 10\n    tip: 5',
    /:4:10: tip: must be true, a list of percentages such as \[5, 10\], or \{ percent: /,
  ],
  ['- pay: 10\n    tip: [much]', /:4:\d+: tip: 0: must be a number, not a text/],
  ['- pass: soon', /pass: must be a time such as 150 s/],
  ['- pass: 150', /:3:11: pass: must be a time such as 150 s, 2 min, 48 h or 7 days: a number and its unit$/],
  ['- abort: { of: sale }', /:3:12: abort: by: is missing$/],
  [
    '- expect: failure',
    /:3:13: expect: no payment ends as failure: write success, or one of these reasons of a failure: /,
  ],
  ['- expect: { screen: nowhere }', /:3:13: expect: screen: must be one of off, /],
  [
    '- include: missing.steps.yaml',
    /scenario\.yaml:3:5: \S*missing\.steps\.yaml cannot be read: there is no such file/,
  ],
])('%s is refused with its place and the correct form', (step, message) => {
  expect(() => findScenarios([scenarioFile(`name: Wrong\nsteps:\n  ${step}\n`)])).toThrow(message);
});

test('an unknown field of a scenario or its needs is refused with the known fields', () => {
  const text = 'name: Wrong\ntgas: [a]\nneeds: { terminal: 2 }\nsteps: [cancel]\n';
  expect(() => findScenarios([scenarioFile(text)])).toThrow(
    /scenario\.yaml:2:1: tgas is not known here; did you mean tags\? Allowed: name, description, tags, /,
  );
  expect(() => findScenarios([scenarioFile(text.replace('tgas', 'tags'))])).toThrow(
    /scenario\.yaml:3:10: terminal is not known here; did you mean terminals\? Allowed: store, currency, /,
  );
});

test.each([
  ['', ':1:1: is not a scenario: it must have a name and steps'],
  ['- pay: 10\n', ':1:1: is not a scenario: it must have a name and steps'],
  ['steps: [cancel]\n', ':1:1: name: is missing'],
  ['name: A\n', ':1:1: steps: must be a list of at least one step'],
  ['name: A\nsteps: []\n', ':2:8: steps: must be a list of at least one step'],
  [
    'name: A\nsteps: [cancel]\n---\nname: B\nsteps: [cancel]\n',
    ':3:1: a second document begins here, but a file may have only one',
  ],
])('a file with %j is refused in a plain sentence', (text, message) => {
  const file = scenarioFile(text);
  expect(() => findScenarios([file])).toThrow(new RegExp(`^\\S+/scenario\\.yaml${message}$`));
});

test('a file with exponentially growing aliases is reported by name, without delay', () => {
  const nested = Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`,
  );
  const text = ['a0: &a0 [x, x]', ...nested].join('\n');
  expect(() => findScenarios([scenarioFile(text)])).toThrow(
    /scenario\.yaml:2:10: aliases \(\*name\) expand to too much data/,
  );
});

test('steps of another file are included with the values given', async () => {
  scenarioFile('steps:\n  - pay: <amount>\n  - tap: <card>\n', 'pay.steps.yaml');
  const file =
    'name: Including\nsteps:\n  - include: pay.steps.yaml\n    with: { amount: 7, card: phone }\n  - expect: success\n';
  expect((await ran(file)).failure).toBeUndefined();
  expect(() => findScenarios([scenarioFile('name: Wrong\nsteps:\n  - include: pay.steps.yaml\n')])).toThrow(
    /scenario\.yaml:3:5: pay\.steps\.yaml needs amount, card/,
  );
});

async function summary() {
  scenarioFile('name: Good & well\nsteps:\n  - pay: 10\n  - tap: phone\n  - expect: success\n', 'a.yaml');
  scenarioFile('name: "Bad <1>"\nsteps:\n  - pay: 10\n  - cancel\n  - expect: success\n', 'b.yaml');
  return runScenarios(findScenarios([folder as string]), {
    workers: 2,
    clock: systemClock,
    run: (scenario) => runScenario(scenario),
  });
}

test('the JUnit report has a suite for each file and names the failures', async () => {
  const xml = junitXml(await summary(), Date.UTC(2026, 0, 1));
  expect(xml).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="pinpad" tests="2" failures="1" errors="0" time="[\d.]+">/,
  );
  expect(xml.match(/<testsuite /g)).toHaveLength(2);
  expect(xml).toContain('name="Good &amp; well"');
  expect(xml).toMatch(
    /<testcase classname="[^"]+b\.yaml" name="Bad &lt;1&gt;" time="[\d.]+">\s*<failure type="failure" message="[^"]+">/,
  );
  expect(xml.replaceAll(/&(amp|lt|gt|quot|#10);/g, '')).not.toContain('&');
});

test('the JSON report and the GitHub annotation name file, line and reason', async () => {
  const all = await summary();
  expect(makeRunJsonReport(all)).toMatchObject({
    passed: 1,
    failed: 1,
    scenarios: [{ verdict: 'passed' }, { verdict: 'failed', failure: { at: { line: 5 } }, seed: 1 }],
  });
  const [, bad] = all.results;
  if (!bad) throw new Error('there is no second result');
  const [failure, warning] = formatGithubAnnotations(bad);
  expect(failure).toMatch(
    /^::error file=.*b\.yaml,line=5,col=5,title=Bad <1>::outcome: expected success, was cancel/,
  );
  expect(warning).toMatch(/^::warning file=.*b\.yaml,line=1,.*title=The POS of%3A Bad <1>::missing-key/);
});
