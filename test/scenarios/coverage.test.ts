import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventDescriptions } from '../../gateway/index.ts';
import { findScenarios, type ScenarioStep, scenarioVerbs } from '../../scenarios/index.ts';
import { languages } from '../../shared/emulator/screen.ts';
import { errorConditions, paymentBrands, toLowerCamel } from '../../shared/nexo/enums.ts';

/** Checks what the shipped scenarios cover. Each of them is run by library.test.ts. */

const folder = join(import.meta.dirname, '../../scenarios/library');
const scenarios = findScenarios([folder]);
const textOf = (scenario: string) => readFileSync(join(folder, `${scenario}.yaml`), 'utf8');

type StepsResult = Extract<ScenarioStep, { verb: unknown }>;
function flat(steps: readonly ScenarioStep[]): StepsResult[] {
  return steps.flatMap((step) => {
    if ('together' in step) return step.together.flatMap((branch) => flat(branch.steps));
    return 'meanwhile' in step ? flat(step.meanwhile) : [step];
  });
}
const steps = scenarios.flatMap((scenario) => flat(scenario.steps));
const expectations = steps.flatMap(({ verb, fields }) => (verb === 'expect' ? [fields.expect] : []));
const allText = JSON.stringify(steps.map(({ fields }) => fields));

describe('every limit of the service has scenarios (B41, B44, B50, B23, B15, B26, B81, B73)', () => {
  test.each([
    [
      'Terminal payment request cap: 150 seconds',
      'limits/answered-by-150-seconds',
      /94 s[\s\S]*pending[\s\S]*1 s[\s\S]*303/,
    ],
    ['Terminal payment request cap: 150 seconds', 'limits/terminal-off-for-150-seconds', /150 s[\s\S]*303/],
    ['Server allowance: up to 190 seconds', 'limits/answers-take-up-to-190-seconds', /pending[\s\S]*303/],
    [
      'Client timeout for status: at least 40 seconds',
      'limits/status-held-30-seconds',
      /29 s[\s\S]*pending[\s\S]*1 s[\s\S]*202/,
    ],
    [
      'Client timeout for abort: at least 40 seconds',
      'limits/abort-held-30-seconds',
      /29 s[\s\S]*pending[\s\S]*1 s[\s\S]*504/,
    ],
    [
      'Latest-request lookup window: 48 hours',
      'limits/latest-request-48-hours',
      /47 h[\s\S]*200[\s\S]*2 h[\s\S]*404/,
    ],
    [
      'Tip options: three numerical and one custom',
      'limits/three-tips-and-a-custom-one',
      /row: 1, column: 1, label: Other/,
    ],
    ['Tip options: no fourth numerical one', 'tips/too-many-options', /400/],
    ['Tip options: no second custom one', 'tips/two-custom-options', /400/],
    ['Tip options: all percentages or all fixed', 'tips/mixed-options', /400/],
    ['Tip options: all fixed', 'tips/fixed', /fixed: \[1, 2, 5\]/],
    ['allowedPaymentBrand: one is too few', 'limits/one-brand-is-too-few', /400/],
    ['allowedPaymentBrand: two or more', 'limits/brands-two-or-more', /success/],
    ['Tip total: within the transaction limit', 'tips/over-the-limit', /gratuityExceedsTransactionLimit/],
    ['Tip total: also where it is typed', 'tips/custom-over-the-limit', /screen: customTip/],
    [
      'Refunds per debit: any number, up to the amount paid',
      'limits/refunds-any-number',
      /422[\s\S]*length: 6/,
    ],
    ['Capture: full preauthorized amount only', 'limits/capture-in-full', /captured_amount: 80/],
  ])('%s: %s', (_limit, scenario, shown) => expect(textOf(scenario)).toMatch(shown));
});

describe('every recovery path has a scenario', () => {
  test.each([
    ['the answer is lost on its way', 'recovery/answer-dropped', /drop answer[\s\S]*ask status/],
    ['the POS hangs up', 'recovery/answer-lost', /hang up[\s\S]*ask status/],
    ['the request is lost on its way', 'recovery/request-dropped', /drop request[\s\S]*404[\s\S]*pay again/],
    ['a 303 is followed', 'recovery/303-followed', /303[\s\S]*headers\.location/],
    ['power is cut before the approval', 'recovery/power-cut-before-approval', /deviceOut/],
    ['power is cut while the issuer thinks', 'recovery/power-cut-while-authorizing', /deviceOut[\s\S]*agree/],
    [
      'power is cut after the approval',
      'recovery/power-cut-after-approval',
      /removeCard[\s\S]*power: off[\s\S]*success/,
    ],
    ['power is cut at a moment', 'recovery/power-cut-at-a-moment', /at: pin[\s\S]*at: after\.settled/],
    ['the network is cut at a moment', 'recovery/network-cut-at-a-moment', /at: authorizing/],
    ['the gateway crashes', 'recovery/gateway-crashes', /crash gateway: after\.concluded[\s\S]*ask status/],
    ['the network is cut', 'recovery/network-cut-after-approval', /network: down/],
    ['the network is cut while the issuer thinks', 'recovery/network-cut-while-authorizing', /late: 5 s/],
    ['the network is slow', 'recovery/slow-network', /slow: 2 s/],
    ['the network comes and goes', 'recovery/flapping-network', /flaps: 3/],
    ['an abort comes too late', 'recovery/abort-too-late', /204[\s\S]*success/],
    ['the terminal is busy', 'outcomes/busy', /expect: busy/],
    ['the same request again', 'recovery/retry-after-lost-answer', /pay again/],
    ['the same request again, at the end', 'recovery/retry-after-the-end', /exactly/],
    ['the gateway restarts', 'recovery/gateway-restarts', /restart gateway[\s\S]*success/],
    ['a refund after a 5xx', 'refunds/answered-503', /fail answer[\s\S]*ask refunds/],
    ['an event after a 5xx of its receiver', 'webhooks/retried', /fails: 1[\s\S]*attempt: 2/],
  ])('%s: %s', (_path, scenario, shown) => expect(textOf(scenario)).toMatch(shown));
});

test('every errorCondition is expected somewhere (B34)', () => {
  const outcomes = new Set(expectations.map((wish) => (typeof wish === 'string' ? wish : outcomeOf(wish))));
  expect(errorConditions.map(toLowerCamel).filter((condition) => !outcomes.has(condition))).toEqual([]);
});

function outcomeOf(wish: unknown): unknown {
  return (wish as { outcome?: unknown }).outcome;
}

test('every type of event is expected somewhere (B103, B105)', () => {
  expect(Object.keys(eventDescriptions).filter((type) => !allText.includes(`"${type}"`))).toEqual([]);
});

test('every language has screens and receipts, and every brand has a card (B15, B20)', () => {
  const outcomeText = `${textOf('languages/screens')}${textOf('languages/receipts')}`;
  for (const language of languages) expect(outcomeText.split(`language: ${language} }`).length).toBe(3);
  const brands = `${textOf('paying/every-brand')}${textOf('paying/no-pin-cards')}`;
  expect(paymentBrands.filter((brand) => !brands.includes(`brand: ${brand},`))).toEqual([]);
});

test('every verb is used somewhere', () => {
  const used = new Set(steps.map(({ verb }) => verb));
  expect([...scenarioVerbs.keys()].filter((name) => !used.has(name))).toEqual([]);
});

test('every section of expectations is used somewhere', () => {
  const sections = ['answer', 'outcome', 'screen', 'receipt', 'journal', 'ledger', 'books', 'explanation'];
  for (const section of [...sections, 'events', 'webhooks', 'page'])
    expect(JSON.stringify(expectations)).toContain(`"${section}":`);
});
