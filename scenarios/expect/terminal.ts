import { describeScreen } from '../environment/terminal-actions.ts';
import { describeDifferences, type ExpectationCheck } from './expectation.ts';
import { ValueMatcher } from './match.ts';

/** Checks the screen of a terminal: its state, or parts of it. */
export const checkScreen: ExpectationCheck<string | Record<string, unknown>> = async (scope, expected) => {
  const { poiId } = scope.context.terminal(scope.terminal);
  const screen = await scope.context.screenOf(poiId);
  if (!screen) return { wrong: [`${poiId} has no screen`] };
  const { text, ...parts } = partsOf(expected);
  const shownText = [
    screen.title,
    screen.amount,
    ...screen.lines,
    ...screen.choices.map(({ label }) => label),
  ];
  return {
    wrong: [
      ...describeDifferences('screen', parts, screen),
      ...(text === undefined
        ? []
        : describeDifferences('screen.text', text, shownText.filter(Boolean).join('\n'))),
    ],
    saw: describeScreen(poiId, screen),
  };
};

/**
 * Returns the parts of a screen that are checked. If the expected value is a stored screen, the whole text of the
 * screen is checked.
 */
function partsOf(expected: string | Record<string, unknown>): { text?: unknown } & Record<string, unknown> {
  if (expected instanceof ValueMatcher) return { text: expected };
  return typeof expected === 'string' ? { state: expected } : expected;
}

export interface ExpectedReceipt {
  copy?: 'cashierReceipt' | 'customerReceipt';
  /** Texts that must all be on the receipt. */
  contains?: readonly string[];
  /** Texts that must not be on the receipt. */
  lacks?: readonly string[];
  /** The whole text. */
  text?: unknown;
}

/**
 * Checks the latest receipt that came out of a terminal; `none` means that no receipt was printed for the payment.
 */
export const checkReceipt: ExpectationCheck<'none' | ExpectedReceipt> = async (scope, expected) => {
  const { poiId } = scope.context.terminal(scope.terminal);
  const printed = await scope.context.control.GET('/control/terminals/{terminalId}/receipts', {
    params: { path: { terminalId: poiId } },
  });
  if (expected === 'none')
    return { wrong: printed.length > 0 ? [`${printed.length} receipts were printed`] : [], final: true };
  const { copy = 'customerReceipt', contains = [], lacks = [], text: whole } = expected;
  const receipt = printed.findLast((one) => one.copy === copy);
  if (!receipt) return { wrong: [`no ${copy} was printed`] };
  const text = receipt.lines.map((line) => line.text).join('\n');
  return {
    wrong: [
      ...contains
        .filter((part) => !text.includes(part))
        .map((part) => `the ${copy} does not contain ${JSON.stringify(part)}`),
      ...lacks
        .filter((part) => text.includes(part))
        .map((part) => `the ${copy} contains ${JSON.stringify(part)}`),
      ...(whole === undefined ? [] : describeDifferences(copy, whole, text)),
    ],
    saw: `the ${copy}:\n${text}`,
    final: true,
  };
};
