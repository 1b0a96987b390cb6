import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findScenarios } from '../run/find-scenarios.ts';
import { runScenario } from '../run/run-scenario.ts';

/**
 * Makes two payments of 25, one in the payments API and one in Adyen's API. Then runs the steps, and returns the
 * message of the failure.
 */
async function failureOf(...steps: string[]): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'giving-back-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'one.yaml');
  const before = [
    'pay: 25, as: sale',
    'tap: visa-credit',
    'pay: 25, as: till, api: adyen',
    'tap: visa-credit',
  ];
  const lines = [...before, ...steps].map((step) => `  - { ${step} }\n`).join('');
  writeFileSync(file, `name: One\nsteps:\n${lines}`);
  const [scenario] = findScenarios([file]);
  return scenario && (await runScenario(scenario)).failure?.message;
}

test.each([
  [
    'all of nothing',
    'refund at the terminal: all',
    '`all` gives back what is left of a payment: name the payment with `of`',
  ],
  [
    'all of no payment in Adyen',
    'refund: all, api: adyen',
    '`all` gives back what is left of a payment: name the payment with `of`',
  ],
  [
    'all of a debit',
    'refund: all, of: sale',
    'the payments API cannot refund `all`: give an amount, such as `refund: 10`',
  ],
  ['a reason in Adyen', 'refund: 5, of: till, reason: other', 'reason can only be given for a debit'],
  [
    'a language of a reversal in Adyen',
    'refund: 5, of: till, language: de',
    "a reversal in Adyen's API has no language",
  ],
  ['a key of a debit', 'refund: 5, key: "1"', 'key can only be given for a refund at a terminal'],
])('%s cannot be given back (B506)', async (_what, step, message) => {
  expect(await failureOf(step)).toBe(message);
});

test('either API gives back payments that the other one took (B506)', async () => {
  const reversed = (original: string) =>
    `expect: { outcome: success, explanation: { kind: reversal, original: <${original}.id> } }`;
  const steps = [
    ...['refund: 5, of: sale, api: adyen, as: one', reversed('sale')],
    ...['refund: 5, of: till, as: two', reversed('till')],
    ...['refund at the terminal: all, of: till, as: three', reversed('till')],
    ...['refund: 15, of: till, currency: USD', 'expect: notAllowed'],
    ...[
      'refund: 5, api: adyen, key: "7", reference: back, as: four',
      'abort: four',
      'expect: aborted, of: four',
    ],
  ];
  expect(await failureOf(...steps)).toBeUndefined();
});

test('an outcome that does not exist yet, or a different one, is reported (B506)', async () => {
  const refund = 'refund at the terminal: 5, as: back';
  expect(await failureOf(refund, 'expect: success, of: back')).toMatch('back is not answered yet');
  expect(await failureOf(refund, 'cancel: true', 'expect: success, of: back')).toMatch(
    'outcome: expected success, was cancel',
  );
});
