import { checkAnswer, checkOutcome, type ExpectedAnswer, type Outcome } from './answer.ts';
import type { CheckResult, ExpectationCheck, ExpectationScope } from './expectation.ts';
import {
  checkBooks,
  checkEvents,
  checkExplanation,
  checkJournal,
  checkLedger,
  type ExpectedJournalEntry,
} from './gateway-records.ts';
import { checkPage } from './page.ts';
import { checkReceipt, checkScreen, type ExpectedReceipt } from './terminal.ts';
import { checkWebhooks, type ExpectedWebhooks } from './webhooks.ts';

/** The expectations of one step. All of them must be true at the same time. */
export interface Expectations {
  /**
   * The HTTP answer to a request: whether the request is still open or its connection is broken, the status, or parts
   * of the answer.
   */
  answer?: ExpectedAnswer;
  /** How the payment ended, as reported to the POS. */
  outcome?: Outcome;
  /** The terminal's state (`idle`, `pin` …), or parts of its screen; `text` is all text on it. */
  screen?: string | Record<string, unknown>;
  /** The latest receipt that came out of the terminal. */
  receipt?: 'none' | ExpectedReceipt;
  /** Entries that the journal must have, each a given number of times. */
  journal?: readonly ExpectedJournalEntry[];
  /** The issuer's movements of money for the payment, oldest first. */
  ledger?: readonly unknown[] | Record<string, unknown>;
  /**
   * `agree`: the sum that the POS was told equals the sum of money that moved, and no payment is open. `told`: in
   * addition, the POS was told the outcome of every charge that is older than 60 s.
   */
  books?: 'agree' | 'told' | Record<string, unknown>;
  /** Parts of the control API's explanation of the payment or debit. */
  explanation?: unknown;
  /** Events that must have been published. */
  events?: readonly unknown[];
  /** The messages that came to the receivers of webhooks. */
  webhooks?: ExpectedWebhooks;
  /** The page of a payment link that the customer sees. */
  page?: string | Record<string, unknown>;
}

const expectations: {
  [Section in keyof Expectations]-?: ExpectationCheck<NonNullable<Expectations[Section]>>;
} = {
  answer: checkAnswer,
  outcome: checkOutcome,
  screen: checkScreen,
  receipt: checkReceipt,
  journal: checkJournal,
  ledger: checkLedger,
  books: checkBooks,
  explanation: checkExplanation as ExpectationCheck<unknown>,
  events: checkEvents,
  webhooks: checkWebhooks,
  page: checkPage,
};

/** How long a step waits for its expectations, in milliseconds of the environment's clock. */
const expectationLimitMs = 5_000;

/**
 * The error when an expectation did not become true in time.
 *
 * @example
 * await expect(pinpad.expect({ outcome: 'aborted' })).rejects.toThrow(ExpectationError);
 */
export class ExpectationError extends Error {
  /** The differences from the expectation, one on each line. */
  readonly wrong: readonly string[];
  /** The actual values that were found instead of the expected values, one on each line. */
  readonly saw: readonly string[];
  constructor(wrong: readonly string[], saw: readonly string[], waitedMs: number | undefined) {
    const waited = waitedMs === undefined ? '' : ` (waited ${waitedMs / 1000} s)`;
    super([`${wrong.join('\n')}${waited}`, ...saw.map((line) => `saw ${line}`)].join('\n'));
    this.wrong = wrong;
    this.saw = saw;
  }
}

/**
 * Waits until all expectations are true.
 *
 * @throws ExpectationError that names the differences and the actual values
 */
export async function waitForExpectations(
  scope: ExpectationScope,
  asked: Expectations,
  limitMs = expectationLimitMs,
): Promise<void> {
  const expected = scope.stored?.resolved(asked) ?? asked;
  let last: CheckResult[] = [];
  await scope.context.scheduler.until(
    async () => {
      last = await checkAll(scope, expected);
      if (last.every(({ wrong }) => wrong.length === 0)) return true;
      if (last.some(({ wrong, final }) => final && wrong.length > 0)) throw expectationError(last);
      return undefined;
    },
    limitMs,
    () => expectationError(last, limitMs),
  );
}

async function checkAll(scope: ExpectationScope, expected: Expectations): Promise<CheckResult[]> {
  const found: CheckResult[] = [];
  for (const section of Object.keys(expected) as (keyof Expectations)[]) {
    const part = expected[section];
    if (part !== undefined)
      found.push(await (expectations[section] as ExpectationCheck<unknown>)(scope, part));
  }
  return found;
}

function expectationError(all: readonly CheckResult[], waitedMs?: number): ExpectationError {
  const wrong = all.filter((check) => check.wrong.length > 0);
  return new ExpectationError(
    wrong.flatMap((check) => check.wrong),
    wrong.flatMap(({ saw }) => (saw === undefined ? [] : [saw])),
    waitedMs,
  );
}
