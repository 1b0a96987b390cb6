import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePaymentTillMessage, makeTillMessage } from '../../gateway/dialects/adyen/till.fixture.ts';
import { type InterruptionConsequence, type MomentName, moments } from '../../shared/moments.ts';
import { openStack, type StackHarness } from '../stack/stack-harness.ts';

/**
 * Cuts power and network at every step of a reversal and of a refund at the terminal. Checks that the till's answer
 * and both ledgers agree afterwards (B479).
 */

const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;
const [stepMs, longestMs, backMs] = [500, 400_000, 20_000];

let harness: StackHarness;
let original = '';
let count = 0;
beforeAll(async () => {
  harness = await openStack({ pacing: 'natural', adyen: true, shopper });
  const { PaymentResponse } = await answerTo(makePaymentTillMessage('original', 5_000, header()));
  original = PaymentResponse?.POIData.POITransactionID.TransactionID ?? '';
  await harness.clock.advance(2 * backMs); // the card is taken out
});
afterAll(() => harness.close());

interface Answer {
  Response: { Result: string; ErrorCondition?: string };
  POIData: { POITransactionID: { TransactionID: string } };
}
type Answers = { PaymentResponse?: Answer; ReversalResponse?: Answer };

const header = () => ({ header: { POIID: harness.poiId } });

/** Sends a message, and lets time pass until the answer comes. */
async function answerTo(body: object): Promise<Answers> {
  const key = { 'x-api-key': harness.stack.tokens[0]?.token ?? '' };
  let answer: { body: { SaleToPOIResponse: Answers } } | undefined;
  const asked = harness.http<{ SaleToPOIResponse: Answers }>('POST', '/sync', body, key).then((given) => {
    answer = given;
  });
  for (let ms = 0; !answer && ms < longestMs; ms += stepMs) await harness.clock.advance(stepMs);
  await asked;
  return answer?.body.SaleToPOIResponse ?? {};
}

const kinds = {
  async reversal(): Promise<Answer | undefined> {
    const POITransactionID = { TransactionID: original, TimeStamp: '2026-01-01T00:00:00.000Z' };
    const body = {
      OriginalPOITransaction: { POITransactionID },
      ReversalReason: 'MerchantCancel',
      ReversedAmount: 10,
    };
    return (await answerTo(makeTillMessage('Reversal', `V${++count}`, body, header().header)))
      .ReversalResponse;
  },
  async refund(): Promise<Answer | undefined> {
    const more = { ...header(), payment: { PaymentData: { PaymentType: 'Refund' } } };
    return (await answerTo(makePaymentTillMessage(`R${++count}`, 10, more))).PaymentResponse;
  },
};

const passed = {
  reversal: ['before.begun', 'after.begun', 'before.attempted', 'after.attempted', 'authorizing'],
  refund: [
    ...['before.begun', 'after.begun', 'presentCard', 'readingCard', 'before.attempted', 'after.attempted'],
    'authorizing',
  ],
} as Record<keyof typeof kinds, MomentName[]>;
const end: MomentName[] = ['before.settled', 'after.settled', 'approved', 'printing'];

/**
 * Gives money back. When the terminal reaches the step, its power or network is cut, as `action` says. Returns the
 * result that the till got. Also returns how many `refunded` entries and how many `returned` entries the host's ledger
 * has for this.
 */
async function givesBackWith(kind: keyof typeof kinds, moment: MomentName, action: string) {
  await harness.control('PUT', `/moments/${moment}`, { action, backMs, terminal: harness.poiId });
  const answer = await kinds[kind]();
  await harness.clock.advance(2 * backMs);
  const { body } = await harness.control<{ set: unknown[] }>('GET', '/moments');
  expect(body.set).toEqual([]);
  const accepted = harness.stack.runtime.journal
    .since()
    .findLast((entry) => entry.kind === 'payment.accepted');
  const ledger = await harness.control<{ kind: string }[]>('GET', `/ledger?payment=${accepted?.payment}`);
  const entries = ledger.body.map((entry) => entry.kind);
  const moved = entries.filter((each) => each === 'refunded').length;
  const back = entries.filter((each) => each === 'returned').length;
  const books = await harness.control('GET', '/books');
  expect(books.body).toMatchObject({ agree: true, open: 0, givenBack: [], differences: [] });
  return { told: answer?.Response.ErrorCondition ?? answer?.Response.Result, moved, back };
}

const leads: Partial<Record<InterruptionConsequence, object>> = {
  sentAgain: { told: 'Success', moved: 1, back: 0 },
  notTaken: { told: 'DeviceOut', moved: 0, back: 0 },
  answeredLater: { told: 'Success', moved: 1, back: 0 },
  ended: { told: 'Success', moved: 1, back: 0 },
};

describe.each(['reversal', 'refund'] as const)('a %s', (kind) => {
  test.each([...passed[kind], ...end])('the power goes at %s', async (moment) => {
    const { leadsTo } = moments[moment];
    const became = await givesBackWith(kind, moment, 'powerOff');
    if (leadsTo !== 'takenBack') return expect(became).toEqual(leads[leadsTo]);
    expect(became.told).toBe('DeviceOut');
    expect(became.back).toBe(became.moved);
  });

  test.each([...passed[kind], ...end])('the network goes at %s', async (moment) => {
    const became = await givesBackWith(kind, moment, 'networkOff');
    expect(became).toEqual({ told: 'Success', moved: 1, back: 0 });
  });
});
