import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Belief, RecordedSaleCall, Sale, SaleAttempt } from '../../shared/sales/sale.ts';
import { makeRunRecord } from '../report/exploration.fixture.ts';
import { judge } from './judge.ts';

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

/** Makes a call about the payment `p1`. The call was sent at the given second. */
function aCall(second: number, changes: Partial<RecordedSaleCall> = {}): RecordedSaleCall {
  return {
    ...{ requestId: `r${second}`, kind: 'payment', method: 'POST', path: '/terminals/t1/payment-request' },
    ...{ at: at(second), endedAt: at(second), end: 'answered', status: 200, error: null },
    ...{ idempotencyKey: null, payment: 'p1', told: false, gateway: null },
    ...changes,
  };
}

const ask = (second: number, told: boolean) =>
  aCall(second, { kind: 'status', method: 'GET', path: '/payment-requests/status', told });

function anAttempt(changes: Partial<SaleAttempt> = {}): SaleAttempt {
  return {
    ...{ kind: 'payment', original: null },
    ...{ payment: 'p1', idempotencyKey: null, terminal: 'V400m-1', amount: 12.5, tip: null },
    ...{ acceptedAt: at(0), concludedAt: at(0), outcome: 'success', reason: null, why: null },
    ...{ charged: 12.5, told: 'untold' },
    ...changes,
  };
}

function aSale(changes: Partial<Sale> = {}, believes?: 'paid' | 'notPaid' | 'unknown'): Sale {
  return {
    ...{ saleId: 's1', kind: 'payment', accountId: 'a1', terminal: 'V400m-1', saleReferenceId: null },
    ...{ idempotencyKey: null, own: null, amount: 12.5, tip: null, total: 12.5, currency: 'EUR' },
    ...{ attempts: [anAttempt()], calls: [], callsLeftOut: 0, callsKnown: true, callsText: '' },
    ...{ outcome: 'success', reason: null, why: null, outcomeText: '', charged: 12.5, told: 'untold' },
    ...{ startedAt: at(0), endedAt: at(9), tookMs: 9_000, refundOf: null, findings: [] },
    beliefs: believes ? [{ at: at(9), believes, payment: null, amount: null, times: null }] : [],
    ...changes,
  };
}

function verdictOf(
  sales: readonly Sale[],
  entries: readonly JournalEntry[] = [],
  unjudgedDeliveries: readonly string[] = [],
) {
  return judge(
    makeRunRecord({ sales, entries, unjudgedDeliveries }),
    makeRunRecord({ sales: [aSale({ told: 'told' }, 'paid')] }),
  ).is;
}

describe('an outcome that the POS leaves unknown', () => {
  test('is a failure if an answer told the outcome, even if the payment is right', () => {
    const told = { told: 'told', calls: [aCall(0), ask(1, true)] } as const;
    expect(verdictOf([aSale(told, 'unknown')])).toBe('leftUnknown');
    expect(verdictOf([aSale(told, 'paid')])).toBe('survived');
    expect(verdictOf([aSale(told)])).toBe('survived');
  });
});

describe('leaving an outcome unknown is right if the POS asked in vain', () => {
  const declined = (...calls: RecordedSaleCall[]) =>
    aSale({ outcome: 'failure', charged: 0, attempts: [anAttempt({ charged: 0 })], calls }, 'unknown');
  const hitAt = (...seconds: number[]) =>
    seconds.map(
      (second) => ({ kind: 'fault.injected', data: { requestId: `r${second}` } }) as unknown as JournalEntry,
    );

  test('after the fault', () => {
    expect(verdictOf([declined(aCall(0), ask(1, false))], hitAt(0))).toBe('survived');
  });

  test('but not before the fault', () => {
    expect(verdictOf([declined(ask(0, false), aCall(1))], hitAt(1))).toBe('leftUnknown');
  });

  test('and again if the answer to that was lost', () => {
    expect(verdictOf([declined(aCall(0), ask(1, false))], hitAt(0, 1))).toBe('leftUnknown');
    expect(verdictOf([declined(aCall(0), ask(1, false), ask(2, false))], hitAt(0, 1, 2))).toBe('survived');
  });
});

test('an event whose receiver had ended with the command does not count as ignored (B381)', () => {
  expect(verdictOf([aSale()])).toBe('paidNeverLearnt');
  expect(verdictOf([aSale()], [], ['p2'])).toBe('paidNeverLearnt');
  expect(verdictOf([aSale()], [], ['p1'])).toBe('survived');
  const twice = aSale({ attempts: ['p1', 'p2'].map((payment) => anAttempt({ payment, charged: 6.25 })) });
  expect(verdictOf([twice], [], ['p1'])).toBe('paidNeverLearnt');
});

describe("the command's own exit code (B385)", () => {
  const paid = aSale({ told: 'told' }, 'paid');
  const failing = (sale: Sale, plain = paid) => {
    const ended = { code: 1, signal: undefined, timedOut: false };
    return judge(makeRunRecord({ sales: [sale], ended }), makeRunRecord({ sales: [plain] })).is;
  };

  test('counts if the outcome is that of a run without the fault, and the POS says or was told so', () => {
    expect(failing(paid)).toBe('commandFailed');
    expect(failing(aSale({ told: 'told' }))).toBe('commandFailed');
  });

  test('does not count if the money, or what can be known of it, differs', () => {
    const nothing = {
      outcome: 'failure',
      told: 'told',
      charged: 0,
      attempts: [anAttempt({ charged: 0 })],
    } as const;
    expect(failing(aSale(nothing, 'notPaid'))).toBe('testFails');
    expect(failing(aSale({ calls: [aCall(0), ask(1, false)] }, 'unknown'))).toBe('testFails');
    expect(failing(aSale({ calls: [aCall(0), ask(1, false)] }))).toBe('testFails');
    expect(failing(aSale(nothing), aSale(nothing))).toBe('testFails');
  });
});

describe('the verdict "charged twice"', () => {
  const second = { saleId: 's2', calls: [aCall(3, { payment: 'p2', told: true })] };
  const again = anAttempt({ payment: 'p2', acceptedAt: at(2), told: 'told' });

  test('looks at all sales: without a reference a blind retry is a separate sale', () => {
    const lost = aSale({ calls: [aCall(0, { end: 'lost', status: null })] });
    expect(verdictOf([lost, aSale({ ...second, attempts: [again] })])).toBe('chargedTwice');
  });

  test('is not given if the first outcome was learnt before', () => {
    const told = aSale({ told: 'told', calls: [aCall(1, { told: true })] });
    expect(verdictOf([told, aSale({ ...second, told: 'told', attempts: [again] })])).toBe('survived');
  });
});

test('goods that are handed out for a sale that is not paid are a failure, even once', () => {
  const [belief] = aSale({}, 'notPaid').beliefs;
  const unpaid = (times: number) =>
    aSale({
      ...{
        outcome: 'failure',
        charged: 0,
        told: 'told',
        attempts: [anAttempt({ charged: 0, told: 'told' })],
      },
      beliefs: [{ ...(belief as Belief), times }],
    });
  const verdict = (sale: Sale) =>
    judge(makeRunRecord({ sales: [sale] }), makeRunRecord({ sales: [unpaid(0)] }));
  expect(verdict(unpaid(0)).is).toBe('survived');
  expect(verdict(unpaid(1))).toEqual({
    is: 'wrongTimes',
    says: 'Your point of sale handed out goods, or acted on an event, for a sale that it believes is not paid',
  });
});

describe('money that is given back at a terminal (B515)', () => {
  const reversal = (payment: string, told: SaleAttempt['told'] = 'told') =>
    anAttempt({ kind: 'reversal', original: 'p1', payment, amount: 5, charged: -5, told });
  const believed = (amount: number) => [
    { at: at(9), believes: 'paid' as const, payment: null, amount, times: null },
  ];
  const given = (reversals: readonly SaleAttempt[], amount?: number) =>
    aSale({
      ...{ told: reversals.some(({ told }) => told === 'untold') ? 'untold' : 'told' },
      attempts: [anAttempt({ told: 'told' }), ...reversals],
      charged: 12.5 - 5 * reversals.length,
      beliefs: amount === undefined ? [] : believed(amount),
    });
  const verdict = (sale: Sale) =>
    judge(makeRunRecord({ sales: [sale] }), makeRunRecord({ sales: [given([reversal('b1')], 7.5)] }));

  test('as without the fault is no failure, whether or not the shop counts it as paid', () => {
    expect(verdict(given([reversal('b1')], 7.5)).is).toBe('survived');
    expect(verdict(given([reversal('b1')], 12.5)).is).toBe('survived');
    expect(verdict(given([reversal('b1')])).is).toBe('survived');
  });

  test('once more than without the fault is refunded twice', () => {
    expect(verdict(given([reversal('b1'), reversal('b2')], 7.5))).toEqual({
      is: 'refundedTwice',
      says: 'The customer was refunded 10 instead of 5',
    });
  });

  test('whose result is never learnt is a failure if nothing is said about it', () => {
    expect(verdict(given([reversal('b1', 'untold')]))).toEqual({
      is: 'paidNeverLearnt',
      says: 'The customer got 5 back, but your point of sale never learnt this',
    });
    expect(verdict(given([reversal('b1', 'untold')], 7.5)).is).toBe('survived');
  });
});
