import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadScenarios } from '../format/load-scenarios.ts';
import { runScenario } from '../run/run-scenario.ts';
import { verbs } from './verbs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faults-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function scenarioOf(text: string) {
  const file = join(folder, 'scenario.yaml');
  writeFileSync(file, text);
  const [scenario] = loadScenarios(file, verbs);
  if (!scenario) throw new Error('there is no scenario');
  return scenario;
}

test('faults that a scenario needs are met in their order from the first step on, as often as they say', async () => {
  const { failure } = await runScenario(
    scenarioOf(`name: Everything that can go wrong
vars: { status: 502 }
needs:
  faults:
    - { drop request: pay }
    - { drop answer: pay }
    - { fail answer: ask status, status: <status>, times: 2 }
    - { delay answer: GET /terminals, by: 20 s }
steps:
  - pay: 5
    as: sale
    key: order-1
  - expect: { answer: lost, journal: { kind: payment.accepted, times: 0 } }
  - pay again: sale
    as: second
  - expect: { screen: presentCard }
  - tap: phone
  - expect: { answer: lost }
    of: second
  - ask status: { key: order-1 }
  - expect: { answer: 502 }
  - ask status: { key: order-1 }
  - expect: { answer: 502 }
  - ask status: { key: order-1 }
  - expect: success
  - request: GET /terminals
    as: list
  - pass: 19 s
  - expect: { answer: pending }
  - pass: 1 s
  - expect: { answer: 200 }
`),
  );
  expect(failure).toBeUndefined();
});

test('a fault that cannot be is reported with its place', () => {
  expect(() =>
    scenarioOf(
      'name: A\nneeds:\n  faults:\n    - drop answer: pya\n    - fail answer: pay\nsteps: [cancel]\n',
    ),
  ).toThrow(
    /scenario\.yaml:4:20: faults\.0\.drop answer: pya is not a request of the POS; use one of: pay, ask status/,
  );
  expect(() =>
    scenarioOf('name: A\nneeds: { faults: [{ drop answer: pay, tims: 2 }] }\nsteps: [cancel]\n'),
  ).toThrow(/scenario\.yaml:2:39: faults\.0: tims is not known here/);
  expect(() => scenarioOf('name: A\nsteps: [{ fail answer: pay, status: 408 }]\n')).toThrow(
    'scenario.yaml:2:37: status: must be one of 500, 502, 503, 504',
  );
});
