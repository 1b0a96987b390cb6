import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runScenario } from '../run/run-scenario.ts';
import { verbs } from '../verbs/verbs.ts';
import { loadScenarios } from './load-scenarios.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scenarios-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Returns the mistakes in a scenario file. The path of its folder is removed from the text. */
function faultsOf(text: string): string {
  try {
    loadScenarios(write('scenario.yaml', text), verbs);
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
  return 'none';
}

test('vars and rows of examples are filled in, and rows have priority over vars', () => {
  const scenarios = loadScenarios(
    write(
      'scenario.yaml',
      'name: <what> for <amount>\nvars: { amount: 5, what: Tea }\nexamples:\n  - { what: Cake }\n  - { amount: 7.5 }\nsteps:\n  - pay: <amount>\n    reference: <what> no. 1\n',
    ),
    verbs,
  );
  expect(scenarios.map(({ name }) => name)).toEqual(['Cake for 5', 'Tea for 7.5']);
  expect(scenarios.map(({ steps: [step] }) => step && 'fields' in step && step.fields)).toEqual([
    { pay: 5, reference: 'Cake no. 1' },
    { pay: 7.5, reference: 'Tea no. 1' },
  ]);
});

test('a name cannot control a window: characters that move a cursor or end a line are escaped', () => {
  const [scenario] = loadScenarios(
    write('scenario.yaml', 'name: "a\\e[2Jb\\nc"\nsteps:\n  - cancel\n'),
    verbs,
  );
  expect(scenario?.name).toBe('a?[2Jb c');
});

test.each([
  [
    'an undefined name, with the defined ones',
    'name: A\nvars: { amount: 5 }\nsteps:\n  - pay: <amuont>\n',
    'scenario.yaml:4:5: <amuont> is not defined; defined names: <amount>',
  ],
  [
    'a row that lacks a column',
    'name: A\nexamples:\n  - { amount: 5, card: phone }\n  - { amount: 6 }\nsteps:\n  - pay: <amount>\n  - tap: <card>\n',
    'scenario.yaml:7:5: <card> is not defined in row 2 of the examples; defined names: <amount>',
  ],
  [
    'a name in the needs',
    'name: A\nneeds: { currency: <money> }\nsteps:\n  - cancel\n',
    'scenario.yaml:2:8: <money> is not defined; defined names: none (vars, examples, with)',
  ],
  [
    "a name in the scenario's name",
    'name: A sale of <amuont>\nvars: { amount: 5 }\nsteps:\n  - pay: <amount>\n',
    'scenario.yaml:1:7: <amuont> is not defined; defined names: <amount>',
  ],
  [
    'a name of the run where nothing is run yet',
    'name: The payment <sale.id>\nneeds: { store: { name: <terminal.id> } }\nsteps:\n  - cancel\n',
    'scenario.yaml:1:7: <sale.id> is not defined; defined names: none (vars, examples, with)\nscenario.yaml:2:8: <terminal.id> is not defined; defined names: none (vars, examples, with)',
  ],
  [
    'what is no amount',
    'name: A\nsteps:\n  - pay: { amount: 5 }\n  - refund: ten\n  - pay again: sale\n    amount: []\n',
    [
      'scenario.yaml:3:10: pay: must be an amount in major units such as 12.50',
      'scenario.yaml:4:13: refund: must be an amount in major units such as 12.50, or all',
      'scenario.yaml:6:13: amount: must be an amount in major units such as 12.50',
    ].join('\n'),
  ],
  [
    'a value that does not fit, at its own place',
    'name: A\nexamples:\n  - { card: 5 }\nsteps:\n  - tap: <card>\n',
    /scenario\.yaml:5:10: tap: must be a text, not a number/,
  ],
  [
    'a file that includes itself',
    'name: A\nsteps:\n  - include: loop.steps.yaml\n',
    'loop.steps.yaml:2:5: loop.steps.yaml includes itself',
  ],
  [
    'a value given to an include that has no use for it',
    'name: A\nsteps:\n  - include: pay.steps.yaml\n    with: { amount: 5, tip: 1 }\n',
    'scenario.yaml:3:5: pay.steps.yaml has no <tip>',
  ],
  [
    'a step of an included file, there',
    'name: A\nsteps:\n  - include: wrong.steps.yaml\n',
    /^wrong\.steps\.yaml:3:5: jump is not a step; steps are: pay, /,
  ],
  [
    'code',
    'name: A\nsteps:\n  - if: true\n    then: [cancel]\n',
    /scenario\.yaml:3:5: if, then is not a step/,
  ],
  [
    'a table without rows',
    'name: A\nexamples: []\nsteps: [cancel]\n',
    /scenario\.yaml:2:11: examples: must not be empty/,
  ],
  ['text that is no YAML', 'name: A\nsteps: [\n', /^scenario\.yaml:\d+:\d+: /],
])('%s is reported with its file, line and column', (_what, text, message) => {
  write('loop.steps.yaml', 'steps:\n  - include: loop.steps.yaml\n');
  write('pay.steps.yaml', 'steps:\n  - pay: <amount>\n');
  write('wrong.steps.yaml', 'steps:\n  - cancel\n  - jump: 1\n');
  if (typeof message === 'string') expect(faultsOf(text)).toBe(message);
  else expect(faultsOf(text)).toMatch(message);
});

test('all faults of a file are reported at once', () => {
  expect(faultsOf('name: A\nsteps:\n  - jump: 1\n  - pay: <x>\n  - tap: 5\n').split('\n')).toHaveLength(3);
});

test('an unknown name makes its step fail, with the known names', async () => {
  const [scenario] = loadScenarios(
    write('scenario.yaml', 'name: A\nsteps:\n  - pay: 5\n    as: sale\n  - abort: { key: <sole.id> }\n'),
    verbs,
  );
  if (!scenario) throw new Error('there is no scenario');
  const { failure } = await runScenario(scenario);
  expect(failure?.at.line).toBe(5);
  expect(failure?.message).toBe(
    '<sole.id> is not defined; defined names: sale, terminal, terminals.terminal-1',
  );
});
