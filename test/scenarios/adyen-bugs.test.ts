import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findScenarios } from '../../scenarios/run/find-scenarios.ts';
import { runScenario } from '../../scenarios/run/run-scenario.ts';

const bugs = join(import.meta.dirname, '../../scenarios/bugs');

/**
 * The mistakes of a real point of sale. For each scenario, `good` has the correct steps, and `bad` has the wrong
 * steps of the point of sale.
 */
const asItWas: Record<string, readonly [good: string, bad: string]> = {
  'adyen-cancel-after-poll': ['abort: { key: "0001" }', 'abort: { key: "0002" }'],
  'adyen-failed-after-an-http-error': [
    '- ask status: sale\n  - expect: success',
    '- abort: sale\n  - pass: 70 s',
  ],
  'adyen-receipts-of-a-status': ['as: status', 'receipts: false\n    as: status'],
};

async function failureOf(text: string): Promise<string | undefined> {
  const file = join(mkdtempSync(join(tmpdir(), 'pinpad-bug-')), 'scenario.yaml');
  writeFileSync(file, text);
  const [found] = findScenarios([file]);
  if (!found) throw new Error('no scenario');
  return (await runScenario(found)).failure?.message;
}

test.each(Object.entries(asItWas))(
  'the bug %s makes its scenario fail, and the scenario passes without it',
  async (name, [good, bad]) => {
    const text = readFileSync(join(bugs, `${name}.yaml`), 'utf8');
    expect(text).toContain(good);
    expect(await failureOf(text)).toBeUndefined();
    expect(await failureOf(text.replace(good, bad))).toBeDefined();
  },
);
