import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { faultStepForms } from '../format/fault-steps.ts';
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

test('the faults that a scenario needs apply in order from the first step on, as often as they say', async () => {
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

test('every fault is set as its step says, for the account and for the webhook', async () => {
  const said: Record<string, [step: string, set: object]> = {
    'drop answer': ['pay', { fault: 'dropAnswer' }],
    'drop request': ['pay', { fault: 'dropRequest' }],
    'delay request': ['pay, by: 2 s', { fault: 'delayRequest', delayMs: 2_000 }],
    'duplicate request': ['pay, answered: copy', { fault: 'duplicateRequest', answered: 'copy' }],
    'fail request': ['pay, status: 429', { fault: 'failRequest', status: 429 }],
    'delay answer': ['pay, by: 2 s', { fault: 'delayAnswer', delayMs: 2_000 }],
    'fail answer': ['pay', { fault: 'failAnswer', status: 503 }],
    'truncate answer': ['pay, bytes: 20', { fault: 'truncateAnswer', bytes: 20 }],
    'slow answer': ['pay, bytes per second: 10', { fault: 'slowAnswer', bytesPerSecond: 10 }],
    'cut answer': ['pay, within: 1 min', { fault: 'cutAnswer', afterMs: 60_000 }],
    'hold answer': ['pay', { fault: 'holdAnswer' }],
    'duplicate event': ['true, webhook: pos', { fault: 'duplicateEvent' }],
    'reorder events': ['true, webhook: pos', { fault: 'reorderEvents' }],
    'delay event': ['45 s, webhook: pos', { fault: 'delayEvent', delayMs: 45_000 }],
    'lose event': ['true, webhook: pos', { fault: 'loseEvent' }],
    'forge event': ['true, webhook: pos', { fault: 'forgeEvent' }],
  };
  expect(Object.keys(said)).toEqual(faultStepForms.map(({ name }) => name));
  const steps = Object.entries(said).map(
    ([name, [step]]) => `  - { ${name}: ${step}, after: 3, times: always }`,
  );
  const needs = '{ webhooks: [pos], faults: [lose event, { drop answer: any, times: 2 }] }';
  let accountId = '';
  let readSet: () => readonly { id: string }[] = () => [];
  let set = readSet();
  const { failure } = await runScenario(
    scenarioOf(`name: All\nneeds: ${needs}\nsteps:\n${steps.join('\n')}\n`),
    {
      onStart: ({ stack, accountId: own }) => {
        accountId = own;
        readSet = () => stack?.gateway.faults.list() ?? [];
      },
      onEnd: () => {
        set = readSet();
      },
    },
  );
  expect(failure).toBeUndefined();
  const which = { method: 'POST', path: '/terminals/{terminalId}/payment-request' };
  expect(set.map(({ id: _, ...fault }) => fault)).toEqual([
    { fault: 'loseEvent', accountId, after: 0, times: 1 },
    { fault: 'dropAnswer', accountId, after: 0, times: 2 },
    ...Object.values(said).map(([step, fault]) => ({
      ...fault,
      ...(step.endsWith('pos') ? { endpointId: `${accountId}-pos` } : which),
      accountId,
      after: 3,
      times: null,
    })),
  ]);
});

test('an impossible fault is reported with its place', () => {
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
