import type { PrintedReceipt } from '../../shared/emulator/hand.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import { Comparison } from '../match/match.ts';
import { describeScreen } from '../stage/hand.ts';
import { compared, type Expectation } from './expectation.ts';

/** The screen of a terminal: its state, or parts of it. */
export const screenExpectation: Expectation<string | Record<string, unknown>> = async (scene, wish) => {
  const { poiId } = scene.stage.terminal(scene.terminal);
  const { status, body } = await scene.stage.control<Screen>('GET', `/terminals/${poiId}/screen`);
  if (status !== 200) return { wrong: [`${poiId} has no screen`] };
  const { text, ...parts } = partsOf(wish);
  const shownText = [body.title, body.amount, ...body.lines, ...body.choices.map(({ label }) => label)];
  return {
    wrong: [
      ...compared('screen', parts, body),
      ...(text === undefined ? [] : compared('screen.text', text, shownText.filter(Boolean).join('\n'))),
    ],
    saw: describeScreen(poiId, body),
  };
};

/** What is stored of a screen is all that stands on it. */
function partsOf(wish: string | Record<string, unknown>): { text?: unknown } & Record<string, unknown> {
  if (wish instanceof Comparison) return { text: wish };
  return typeof wish === 'string' ? { state: wish } : wish;
}

export interface ReceiptWish {
  copy?: 'cashierReceipt' | 'customerReceipt' | undefined;
  /** Each of these stands on it. */
  contains?: readonly string[] | undefined;
  /** None of these stands on it. */
  lacks?: readonly string[] | undefined;
  /** The whole text. */
  text?: unknown;
}

/** The latest receipt that came out of a terminal; `none`: nothing was printed for the payment. */
export const receiptExpectation: Expectation<'none' | ReceiptWish> = async (scene, wish) => {
  const { poiId } = scene.stage.terminal(scene.terminal);
  const printed = await scene.stage.mustControl<PrintedReceipt[]>('GET', `/terminals/${poiId}/receipts`);
  if (wish === 'none')
    return { wrong: printed.length > 0 ? [`${printed.length} receipts were printed`] : [], final: true };
  const { copy = 'customerReceipt', contains = [], lacks = [], text: whole } = wish;
  const receipt = printed.findLast((one) => one.copy === copy);
  if (!receipt) return { wrong: [`no ${copy} was printed`] };
  const text = receipt.lines.map((line) => line.text).join('\n');
  return {
    wrong: [
      ...contains
        .filter((part) => !text.includes(part))
        .map((part) => `the ${copy} does not say ${JSON.stringify(part)}`),
      ...lacks
        .filter((part) => text.includes(part))
        .map((part) => `the ${copy} says ${JSON.stringify(part)}`),
      ...(whole === undefined ? [] : compared(copy, whole, text)),
    ],
    saw: `the ${copy}:\n${text}`,
    final: true,
  };
};
