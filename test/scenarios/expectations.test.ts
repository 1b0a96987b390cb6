import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findScenarios, runScenario } from '../../scenarios/index.ts';

/**
 * Checks the message of an expectation that is not met. For each section of an expectation, the message names the
 * actual value in the words of scenarios.
 */

async function failureOf(expectation: string, steps = ''): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'expectations-'));
  const file = join(folder, 'scenario.yaml');
  writeFileSync(
    file,
    `name: Wrong\nneeds: { webhooks: [pos] }\nsteps:\n  - pay: 10\n    as: sale\n  - tap: visa-credit\n${steps}  - expect: ${expectation}\n    of: sale\n`,
  );
  try {
    const [scenario] = findScenarios([file]);
    if (!scenario) throw new Error('there is no scenario');
    const { failure } = await runScenario(scenario);
    expect(failure?.at.line).toBe(7 + (steps.match(/\n/g)?.length ?? 0));
    return failure?.message ?? '';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const link = '  - send link: 5\n  - open link\n';
const charge = '  - charge: 5\n';

test.each([
  ['cancel', '', /^outcome: expected cancel, was success\nsaw the answer 200 \{/],
  ['{ answer: 303 }', '', /^answer\.status: expected 303, was 200\nsaw the answer 200/],
  ['{ answer: pending }', '', /^sale is answered already\nsaw the answer 200/],
  ['{ answer: lost }', '', /^the connection of sale did not break/],
  [
    '{ answer: { headers: { location: { a: string } } } }',
    '',
    /answer\.headers\.location: expected a string, nothing is there/,
  ],
  [
    '{ screen: pin }',
    '',
    /^screen\.state: expected "pin", was "idle" \(waited 5 s\)\nsaw V400m-\d+ shows idle: Ready/,
  ],
  [
    '{ screen: { text: { contains: PIN } } }',
    '',
    /^screen\.text: expected something that contains "PIN", was "Ready/,
  ],
  ['{ receipt: none }', '', /^2 receipts were printed/],
  [
    '{ receipt: { contains: ["11.00"], lacks: [Corner] } }',
    '',
    /^the customerReceipt does not contain "11\.00"\nthe customerReceipt contains "Corner"\nsaw the customerReceipt:\n +Corner Shop/,
  ],
  [
    '{ journal: { kind: payment.concluded, data: { result: failure } } }',
    '',
    /^the number of journal entries like \{.*"failure".* is 0 \(waited 5 s\)\nsaw .*payment\.concluded.*"success"/,
  ],
  [
    '{ journal: { kind: payment.accepted, times: 0 } }',
    '',
    /^the number of journal entries like .* is 1 .*\nsaw .* payment\.accepted V400m/,
  ],
  [
    '{ ledger: [authorized, reversed] }',
    '',
    /^ledger: expected a list of 2: [^\n]*\nsaw the ledger: \[\["authorized",10\]\]/,
  ],
  ['{ books: { agree: false } }', '', /^books\.agree: expected false, was true[^\n]*\nsaw the books: \{/],
  ['{ explanation: { rule: card } }', '', /^payment\.rule: expected "card", was "default"/],
  [
    '{ events: [payments.refunds.created] }',
    charge,
    /^no event like \{"type":"payments\.refunds\.created"\} [^\n]*\nsaw the events: payments\.debits\.completed/,
  ],
  [
    '{ webhooks: [payments.refunds.created] }',
    charge,
    /^no webhook like \{"type":"payments\.refunds\.created"\} came [^\n]*\nsaw the webhooks: payments\.debits\.completed to pos \(answered 204\)/,
  ],
  ['{ webhooks: { length: 2 } }', charge, /^webhooks\.length: expected 2, was 1/],
  [
    '{ page: on its way }',
    link,
    /^page\.text: expected something that contains "on its way"[\s\S]*saw the page \(200\): Corner/,
  ],
  ['{ page: anything }', '', /^the customer has not opened a link/],
])('the expectation %s is checked', async (expectation, steps, message) => {
  expect(await failureOf(expectation, steps)).toMatch(message);
});
