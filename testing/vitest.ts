import '../shared/supported-node.ts';
import { test as base, expect as baseExpect, type ExpectStatic } from 'vitest';
import { differences, type ExpectedValue, explainDifference, type Outcome } from '../scenarios/index.ts';
import type { Pinpad } from './pinpad.ts';
import { type PinpadOptions, startPinpad } from './start-pinpad.ts';

/**
 * Vitest's `test`. A test that names `pinpad` in its parameters gets a `Pinpad` of its own. When a test fails, its last
 * events are printed, and a trace is written ({@link Pinpad.report}). `test.override({ options: { currency: 'CAD' } })`
 * sets the options of `startPinpad` for the tests. A test fails if its options have a mistake.
 *
 * @example
 * test('the cashier sees that a card was declined', async ({ pinpad }) => {
 *   await pinpad.pos.pay({ amount: 10 });
 *   await pinpad.terminal().tap('not-enough-balance');
 *   await pinpad.expect({ outcome: 'refusal' });
 * });
 */
export const test = base.extend<{ options: PinpadOptions; pinpad: Pinpad }>({
  options: {},
  pinpad: async ({ options, task, onTestFailed }, use) => {
    const pinpad = await startPinpad(options);
    onTestFailed(async () => console.error(await pinpad.report(task.fullTestName)));
    try {
      await use(pinpad);
    } finally {
      await pinpad.close();
    }
  },
});

/** The matchers that `expect` of this module has in addition to those of Vitest. */
export interface PinpadMatchers {
  /**
   * Passes if the IPPTransactionResult says success.
   *
   * @throws Error of Vitest that says what differs
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5 });
   * await pinpad.terminal().tap('visa-credit');
   * await pinpad.expect({ outcome: 'success' });
   * expect(sale.answer?.body).toBeApproved();
   */
  toBeApproved(): void;
  /**
   * Passes if the IPPTransactionResult says failure with this errorCondition.
   *
   * @throws Error of Vitest that says what differs
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5 });
   * await pinpad.terminal().tap('not-enough-balance');
   * await pinpad.expect({ outcome: 'refusal' });
   * expect(sale.answer?.body).toHaveFailedWith('refusal');
   */
  toHaveFailedWith(errorCondition: Exclude<Outcome, 'success'>): void;
  /**
   * Passes if the value fits, by the rules for expectations in scenarios: only the given fields are compared, and
   * matchers such as `{ above: 5 }` are allowed.
   *
   * @throws Error of Vitest that says what differs
   *
   * @example
   * expect({ amount: 12.5, currency: 'EUR' }).toFit({ amount: { above: 5 } });
   */
  toFit(wanted: ExpectedValue): void;
}

type Eventually<Matchers> = {
  [Name in keyof Matchers]: Matchers[Name] extends (...args: infer Args) => void
    ? (...args: Args) => Promise<void>
    : never;
};
interface AndNot<Matchers> {
  readonly not: Matchers;
}
type Added = PinpadMatchers &
  AndNot<PinpadMatchers> & {
    readonly resolves: Eventually<PinpadMatchers> & AndNot<Eventually<PinpadMatchers>>;
  };

/**
 * Vitest's `expect` with {@link PinpadMatchers}.
 *
 * @example
 * expect({ body: { amount: 12.5 } }).toFit({ body: { amount: { above: 5 } } });
 * expect(1 + 1).toBe(2);
 */
// The matchers are not added to Vitest's own interface, because the type parameters of that interface change with each
// major version.
export const expect = baseExpect as (<T>(
  actual: T,
  message?: string,
) => ReturnType<typeof baseExpect<T>> & Added) &
  ExpectStatic;

function verdict(actual: unknown, wanted: ExpectedValue) {
  const wrong = differences(wanted, actual);
  return {
    pass: wrong.length === 0,
    message: () =>
      wrong.map(explainDifference).join('\n') ||
      `the value was expected not to match ${JSON.stringify(wanted)}`,
  };
}

expect.extend({
  toBeApproved: (actual: unknown) => verdict(actual, { response: { result: 'success' } }),
  toHaveFailedWith: (actual: unknown, errorCondition: string) =>
    verdict(actual, { response: { result: 'failure', errorCondition } }),
  toFit: (actual: unknown, wanted: unknown) => verdict(actual, wanted),
});
