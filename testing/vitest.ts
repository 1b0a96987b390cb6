import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { differences, explainDifference, type Wanted } from '../scenarios/index.ts';
import type { Pinpad } from './pinpad.ts';
import { type PinpadOptions, startPinpad } from './start-pinpad.ts';

export { expect };

/**
 * Vitest's `test` with a `pinpad` of its own for every test that asks for one; when the test fails, what happened
 * is printed and written as a trace. `test.override({ options: { currency: 'CAD' } })` says what there is.
 *
 * @example
 * test('a declined card is told to the cashier', async ({ pinpad }) => {
 *   await pinpad.pos.pay({ amount: 10 });
 *   await pinpad.terminal().tap('not-enough-balance');
 *   await pinpad.expect({ outcome: 'refusal' });
 * });
 */
export const test = base.extend<{ options: PinpadOptions; pinpad: Pinpad }>({
  options: {},
  pinpad: async ({ options, task, onTestFailed }, use) => {
    const pinpad = await startPinpad(options);
    onTestFailed(async () => {
      const trace = writeTrace(task.name, await pinpad.trace(task.name));
      console.error(`What happened in "${task.name}":\n${await pinpad.story()}\ntrace: ${trace}`);
    });
    try {
      await use(pinpad);
    } finally {
      await pinpad.close();
    }
  },
});

/** Into the folder that PINPAD_TRACES names, else `traces`. */
function writeTrace(test: string, page: string): string {
  const folder = process.env.PINPAD_TRACES ?? 'traces';
  const file = join(
    folder,
    `${test
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 80)}.html`,
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, page);
  return file;
}

interface PinpadMatchers<Result = unknown> {
  /** The IPPTransactionResult says success. */
  toBeApproved(): Result;
  /** The IPPTransactionResult says failure with this errorCondition. */
  toHaveFailedWith(errorCondition: string): Result;
  /** Fits as expectations of stories do: the fields given, and matchers such as `{ above: 5 }`. */
  toFit(wanted: Wanted): Result;
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends PinpadMatchers<R> {}
}

function verdict(actual: unknown, wanted: Wanted) {
  const wrong = differences(wanted, actual);
  return {
    pass: wrong.length === 0,
    message: () => wrong.map(explainDifference).join('\n') || `expected not to fit ${JSON.stringify(wanted)}`,
  };
}

expect.extend({
  toBeApproved: (actual: unknown) => verdict(actual, { response: { result: 'success' } }),
  toHaveFailedWith: (actual: unknown, errorCondition: string) =>
    verdict(actual, { response: { result: 'failure', errorCondition } }),
  toFit: (actual: unknown, wanted: unknown) => verdict(actual, wanted),
});
