import { type AnswerWish, answerExpectation, type Outcome, outcomeExpectation } from './answer.ts';
import type { Expectation, Look, Scene } from './expectation.ts';
import { pageExpectation } from './page.ts';
import {
  booksExpectation,
  eventsExpectation,
  explanationExpectation,
  type JournalWish,
  journalExpectation,
  ledgerExpectation,
} from './record.ts';
import { type ReceiptWish, receiptExpectation, screenExpectation } from './terminal.ts';
import { type WebhooksWish, webhooksExpectation } from './webhooks.ts';

/** Everything that can be expected at once; all of it must fit. */
export interface Wishes {
  /** The HTTP answer to a request: held open still, broken off, its status, or parts of it. */
  answer?: AnswerWish | undefined;
  /** How the payment ended, as the POS is told. */
  outcome?: Outcome | undefined;
  /** The terminal's state (`idle`, `pin` …), or parts of its screen; `text` is all that stands on it. */
  screen?: string | Record<string, unknown> | undefined;
  /** The latest receipt that came out of the terminal. */
  receipt?: 'none' | ReceiptWish | undefined;
  /** Entries that are there, so and so many times. */
  journal?: readonly JournalWish[] | undefined;
  /** What the issuer moved for the payment, oldest first. */
  ledger?: readonly unknown[] | Record<string, unknown> | undefined;
  /** `agree`: what was moved is what the POS was told, and no payment is open. */
  books?: 'agree' | Record<string, unknown> | undefined;
  /** Parts of why the payment or debit is as it is. */
  explanation?: unknown;
  /** Each fits an event that was published. */
  events?: readonly unknown[] | undefined;
  /** What came to the receivers of webhooks. */
  webhooks?: WebhooksWish | undefined;
  /** What a payment link shows the customer. */
  page?: string | Record<string, unknown> | undefined;
}

const expectations: { [Section in keyof Wishes]-?: Expectation<NonNullable<Wishes[Section]>> } = {
  answer: answerExpectation,
  outcome: outcomeExpectation,
  screen: screenExpectation,
  receipt: receiptExpectation,
  journal: journalExpectation,
  ledger: ledgerExpectation,
  books: booksExpectation,
  explanation: explanationExpectation as Expectation<unknown>,
  events: eventsExpectation,
  webhooks: webhooksExpectation,
  page: pageExpectation,
};

/** How long an expectation may take to come true, in milliseconds of the stage's clock. */
export const expectationLimitMs = 5_000;

/** An expectation did not come true. */
export class Disappointment extends Error {
  readonly wrong: readonly string[];
  readonly saw: readonly string[];
  constructor(wrong: readonly string[], saw: readonly string[], waitedMs: number | undefined) {
    const waited = waitedMs === undefined ? '' : ` (waited ${waitedMs / 1000} s)`;
    super([`${wrong.join('\n')}${waited}`, ...saw.map((line) => `saw ${line}`)].join('\n'));
    this.wrong = wrong;
    this.saw = saw;
  }
}

/**
 * Waits until everything wished for is true.
 *
 * @throws Disappointment saying what is different and what there is instead
 */
export async function expectWishes(scene: Scene, asked: Wishes, limitMs = expectationLimitMs): Promise<void> {
  const wishes = scene.stored?.resolved(asked) ?? asked;
  let last: Look[] = [];
  await scene.stage.director.until(
    async () => {
      last = await looks(scene, wishes);
      if (last.every(({ wrong }) => wrong.length === 0)) return true;
      if (last.some(({ wrong, final }) => final && wrong.length > 0)) throw disappointment(last);
      return undefined;
    },
    limitMs,
    () => disappointment(last, limitMs),
  );
}

async function looks(scene: Scene, wishes: Wishes): Promise<Look[]> {
  const found: Look[] = [];
  for (const section of Object.keys(wishes) as (keyof Wishes)[]) {
    const wish = wishes[section];
    if (wish !== undefined) found.push(await (expectations[section] as Expectation<unknown>)(scene, wish));
  }
  return found;
}

function disappointment(all: readonly Look[], waitedMs?: number): Disappointment {
  const wrong = all.filter((look) => look.wrong.length > 0);
  return new Disappointment(
    wrong.flatMap((look) => look.wrong),
    wrong.flatMap(({ saw }) => (saw === undefined ? [] : [saw])),
    waitedMs,
  );
}
