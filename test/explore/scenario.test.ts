import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';
import { testThoroughly } from '../optional-programs.ts';

const testInCi = testThoroughly();

/**
 * `pinpad explore SCENARIO.yaml` runs the scenario as the command, and treats its requests as those of the point of
 * sale (B335).
 */

const sale = `
name: A sale at the counter
needs: { currency: USD, terminals: [counter] }
steps:
  - pay: 12.50
    as: sale
    terminal: counter
  - tap: visa-credit
  - expect: success
`;
const asking = sale.replace('  - expect: success', '  - ask status: sale\n  - expect: success');

async function exploring(text: string, ...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-scenario-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'sale.yaml');
  writeFileSync(file, text);
  return {
    file,
    ...(await runPinpadInProcess(['explore', ...options, '--traces', join(folder, 'traces'), file])),
  };
}
const only = (...names: string[]) => names.flatMap((name) => ['--only', name]);

describe('a scenario that is explored', () => {
  testInCi('fails if its steps do not ask for the result', async () => {
    const { code, stdout, file } = await exploring(
      sale,
      ...only('failAnswer-503@payment-request.1', 'decline@host.1'),
    );
    expect(stdout).toContain('The customer paid 12.5, but your point of sale never learnt this');
    expect(stdout).toContain('1 in which your test fails, but the money is right');
    expect(stdout).toContain(`pinpad explore --only failAnswer-503@payment-request.1 -- ${file}`);
    expect(stdout).toMatch(/its output\n +at expect: success/);
    expect(code).toBe(1);
  });

  test('survives if its steps ask for the result', async () => {
    const { code, stdout } = await exploring(asking, ...only('failAnswer-503@payment-request.1'));
    expect(stdout).toMatch(/payment-request, 200; status, 200/);
    expect(stdout).not.toContain('✗');
    expect(code).toBe(0);
  });

  test.each([
    [sale, ['--restart', 'true'], /a scenario .* leave out --restart/],
    [`${sale}  - restart gateway\n`, [], /cannot be explored: it restarts the gateway/],
    [
      `${sale.replace('12.50', '<amount>')}examples:\n  - { amount: 1 }\n  - { amount: 2 }\n`,
      [],
      /needs a file with one scenario/,
    ],
    ['name: nothing\n', [], /nothing was run because of these errors/],
  ])('is refused with a sentence if it cannot be explored', async (text, options, says) => {
    const { code, stderr } = await exploring(text, ...options);
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });
});
