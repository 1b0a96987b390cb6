import { describe, expect, test } from 'vitest';
import { refundStatuses } from '../../store/rows/refunds.ts';
import { type DebitState, debitStates } from '../../store/rows/saved-cards.ts';
import {
  debitInputs,
  debitRow,
  exampleDebitFacts,
  makeDebitInState,
  makePaidDebitWithRefund,
  makeSavedCardRow,
  otherCaller,
  refundInputs,
} from './debits.fixture.ts';
import { decide, lifecycle, needsCard } from './lifecycle.ts';
import { refundLifecycle } from './refund-lifecycle.ts';
import type { DebitInput, Input, RefundInput, StoredDebit } from './step.ts';

const pairsOf = (table: object) =>
  Object.entries(table).flatMap(([state, does]) =>
    Object.entries<unknown>(does).map(([input, transition]) => [state, input, transition] as const),
  );
const impossible = (table: object) => pairsOf(table).filter(([, , does]) => typeof does !== 'function');
const debitOf = (state: string) => (state === 'none' ? undefined : makeDebitInState(state as DebitState));
const refundOf = (status: string) =>
  status === 'none'
    ? makeDebitInState('paid')
    : makePaidDebitWithRefund(status as (typeof refundStatuses)[number]);
const debitInput = (is: string) => debitInputs.find((input) => input.is === is) as DebitInput;
const refundInput = (is: string) => refundInputs.find((input) => input.is === is) as RefundInput;

/** Describes a step in words: the state, the report or refusal, the changes, and the effects. */
function said(from: StoredDebit | undefined, input: Input, at = exampleDebitFacts): string {
  const { stored, refund, records, effects, told, refused } = decide(from, input, at);
  const changes = records.map((record) => {
    const [verb, table] = Object.entries(record)[0] as [string, string];
    return table === 'ledger'
      ? `${verb} ${'row' in record && 'kind' in record.row && record.row.kind}`
      : `${verb} ${table}`;
  });
  return [
    input.of === 'refund' ? (refund?.status ?? 'none') : (stored?.debit.state ?? 'none'),
    told ? `, told of the ${told}` : '',
    refused ? `, ${refused.is}` : '',
    changes.length > 0 ? `: ${changes.join(', ')}` : '',
    effects.length > 0 ? `; ${effects.map((effect) => effect.do).join(', ')}` : '',
  ].join('');
}

describe('a debit', () => {
  test('handles every input in every state', () => {
    expect(Object.keys(lifecycle).sort()).toEqual(['none', ...debitStates].sort());
    for (const does of Object.values(lifecycle))
      expect(Object.keys(does)).toEqual(debitInputs.map(({ is }) => is));
    expect(pairsOf(lifecycle)).toHaveLength(5 * 7);
  });

  test.each(impossible(lifecycle))('that is %s does not accept %s, and says why', (state, input, does) => {
    expect(does).toEqual({ impossible: expect.stringMatching(/./) });
    expect(() => decide(debitOf(state), debitInput(input), exampleDebitFacts)).toThrow(
      `the input ${input} is impossible for a debit that is ${state}`,
    );
  });

  const comesTo: readonly (readonly [state: string, input: string, comesTo: string])[] = [
    ['none', 'chargeOrdered', 'paid, told of the debit: insert authorized, insert captured, insert debits'],
    [
      'none',
      'holdOrdered',
      'preauthorized, told of the debit: insert authorized, insert debits; awaitExpiry',
    ],
    ['none', 'captureAsked', 'none, missing'],
    ['none', 'expiryAsked', 'none, missing'],
    ['none', 'blockAsked', 'none, missing'],
    ['none', 'closeAsked', 'none, missing'],
    [
      'preauthorized',
      'captureAsked',
      'paid, told of the debit: insert captured, update debits; forgetExpiry',
    ],
    [
      'preauthorized',
      'expiryAsked',
      'voided, told of the debit: insert reversed, update debits; forgetExpiry',
    ],
    ['preauthorized', 'blockAsked', 'preauthorized: insert refund_limits; journal'],
    ['preauthorized', 'closeAsked', 'preauthorized: insert refund_limits; journal'],
    ['preauthorized', 'due', 'voided, told of the debit: insert reversed, update debits; forgetExpiry'],
    ...['paid', 'failed', 'voided'].flatMap((ended) => [
      [ended, 'captureAsked', `${ended}, over`] as const,
      [ended, 'expiryAsked', `${ended}, over`] as const,
      [ended, 'blockAsked', `${ended}: insert refund_limits; journal`] as const,
      [ended, 'closeAsked', `${ended}: insert refund_limits; journal`] as const,
      [ended, 'due', ended] as const,
    ]),
  ];

  test('has an expected result in this test for every pair of a state and an input', () => {
    const listed = comesTo.map(([state, input]) => `${state} ${input}`);
    const can = pairsOf(lifecycle).filter(([, , does]) => typeof does === 'function');
    expect(listed.toSorted()).toEqual(can.map(([state, input]) => `${state} ${input}`).toSorted());
  });

  test.each(comesTo)('that is %s and gets %s becomes: %s', (state, input, comes) => {
    expect(said(debitOf(state), debitInput(input))).toBe(comes);
  });

  test.each([
    ['chargeOrdered', 'failed, told of the debit: insert declined, insert debits'],
    ['holdOrdered', 'failed, told of the debit: insert declined, insert debits'],
  ])('whose card declines is stored as failed: %s (B76)', (is, comes) => {
    expect(said(undefined, { ...debitInput(is), card: makeSavedCardRow('declined') } as DebitInput)).toBe(
      comes,
    );
  });

  test('whose capture is declined fails, and holds no amount any more (B76)', () => {
    const at = { ...exampleDebitFacts, card: makeSavedCardRow('fails-at-capture') };
    expect(said(makeDebitInState('preauthorized'), debitInput('captureAsked'), at)).toBe(
      'failed, told of the debit: insert declined, insert reversed, update debits; forgetExpiry',
    );
  });

  test('whose time is over cannot be captured, even before its release is stored (B75)', () => {
    expect(
      said(makeDebitInState('preauthorized'), debitInput('captureAsked'), {
        ...exampleDebitFacts,
        inTime: false,
      }),
    ).toBe('preauthorized, late');
  });

  test.each(debitStates)('that is %s is hidden from a stranger (B7)', (state) => {
    expect(said(makeDebitInState(state), { of: 'debit', is: 'captureAsked', caller: otherCaller })).toBe(
      'none, missing',
    );
  });

  test('can block no more of the refundable amount than is left', () => {
    const block = (amount: number) =>
      said(makeDebitInState('paid'), { ...debitInput('blockAsked'), amount } as DebitInput);
    expect([block(10_25), block(10_26)]).toEqual(['paid: insert refund_limits; journal', 'paid, tooMuch']);
  });

  test('stays closed after it was closed, for the first reason', () => {
    const closed = decide(makeDebitInState('paid'), debitInput('closeAsked'), exampleDebitFacts).stored;
    const again = decide(closed, { of: 'debit', is: 'closeAsked', reason: 'other' }, exampleDebitFacts);
    expect([again.records, again.stored?.limit?.closed_reason]).toEqual([[], 'charged back']);
    expect(said(closed, debitInput('blockAsked'))).toBe('paid: update refund_limits; journal');
  });
});

describe('a refund', () => {
  test('handles every input in every state', () => {
    expect(Object.keys(refundLifecycle)).toEqual(['none', ...refundStatuses]);
    for (const does of Object.values(refundLifecycle))
      expect(Object.keys(does)).toEqual(refundInputs.map(({ is }) => is));
    expect(pairsOf(refundLifecycle)).toHaveLength(4 * 4);
  });

  test.each(impossible(refundLifecycle))(
    'that is %s does not accept %s, and says why',
    (state, input, does) => {
      expect(does).toEqual({ impossible: expect.stringMatching(/./) });
      if (state !== 'none') return; // a request for a new refund names no refund, so its state is `none`
      for (const stored of [undefined, makeDebitInState('paid')])
        expect(() => decide(stored, refundInput(input), exampleDebitFacts)).toThrow(
          `the input ${input} is impossible for a refund that is ${state}`,
        );
    },
  );

  const comesTo: readonly (readonly [state: string, input: string, comesTo: string])[] = [
    ['none', 'ordered', 'processing, told of the refund: insert refunds; awaitRefund'],
    ['none', 'submitAsked', 'none, missing'],
    ['none', 'failAsked', 'none, missing'],
    [
      'processing',
      'submitAsked',
      'submitted, told of the refund: insert refunded, update refunds; forgetRefund',
    ],
    ['processing', 'failAsked', 'failed, told of the refund: update refunds; forgetRefund'],
    ['processing', 'due', 'submitted, told of the refund: insert refunded, update refunds; forgetRefund'],
    ['submitted', 'submitAsked', 'submitted, over'],
    ['submitted', 'failAsked', 'failed, told of the refund: insert returned, update refunds; forgetRefund'],
    ['submitted', 'due', 'failed, told of the refund: insert returned, update refunds; forgetRefund'],
    ['failed', 'submitAsked', 'failed, over'],
    ['failed', 'failAsked', 'failed, over'],
    ['failed', 'due', 'none'],
  ];

  test('has an expected result in this test for every pair of a state and an input', () => {
    const listed = comesTo.map(([state, input]) => `${state} ${input}`);
    const can = pairsOf(refundLifecycle).filter(([, , does]) => typeof does === 'function');
    expect(listed.toSorted()).toEqual(can.map(([state, input]) => `${state} ${input}`).toSorted());
  });

  test.each(comesTo)('that is %s and gets %s becomes: %s', (state, input, comes) => {
    expect(said(refundOf(state), refundInput(input))).toBe(comes);
  });

  test.each(['processing', 'submitted'] as const)(
    'that is %s ignores a timer whose due time is no longer the stored one',
    (status) => {
      expect(said(makePaidDebitWithRefund(status), { ...refundInput('due'), dueAt: 1 } as RefundInput)).toBe(
        'none',
      );
    },
  );

  test.each([
    ['refund-fails-at-once', 'none', 'ordered', 'failed, told of the refund: insert refunds; forgetRefund'],
    [
      'refund-cannot-be-sent',
      'processing',
      'due',
      'failed, told of the refund: update refunds; forgetRefund',
    ],
    [
      'refund-fails-later',
      'processing',
      'due',
      'submitted, told of the refund: insert refunded, update refunds; awaitRefund',
    ],
  ])('with the card %s, that is %s and gets %s, becomes: %s (B80)', (card, state, input, comes) => {
    expect(
      said(refundOf(state), refundInput(input), { ...exampleDebitFacts, card: makeSavedCardRow(card) }),
    ).toBe(comes);
  });

  const order = (of: Partial<Extract<RefundInput, { is: 'ordered' }>>) =>
    ({ ...refundInput('ordered'), ...of }) as RefundInput;

  test.each([
    ['a debit that is not paid', makeDebitInState('preauthorized'), {}, { is: 'over' }],
    ["another account's debit", makeDebitInState('paid'), { caller: otherCaller }, { is: 'missing' }],
    ['no debit', undefined, {}, { is: 'missing' }],
    ['more than was charged', makeDebitInState('paid'), { amount: 10.26 }, { is: 'tooMuch' }],
    ['more than is left', makePaidDebitWithRefund('processing'), { amount: 6.26 }, { is: 'tooMuch' }],
    ['more than is not blocked', limited({ blocked_amount: 7_00 }), { amount: 3.26 }, { is: 'tooMuch' }],
    ['a closed debit', limited({ closed_at: 1, closed_reason: 'x' }), {}, { is: 'closed', reason: 'x' }],
    [
      'no amount of its currency',
      makeDebitInState('paid'),
      { amount: 0.001, currency: 'KWD' },
      { is: 'noAmount', fault: 'tooManyDecimals', currency: 'EUR' },
    ],
    [
      "no amount of the account's currency",
      undefined,
      { amount: 0.5, currency: 'JPY' },
      { is: 'noAmount', fault: 'tooManyDecimals', currency: 'JPY' },
    ],
  ] as const)('of %s is refused, and no random number is drawn for it', (_, stored, of, refusal) => {
    const nothingDrawn = { ...exampleDebitFacts, dice: undefined as never };
    const { refused, records } = decide(stored, order(of), nothingDrawn);
    expect([refused, records]).toEqual([refusal, []]);
  });

  test('is made for everything that is left, including the amount of an earlier failed refund', () => {
    expect(said(makePaidDebitWithRefund('processing'), order({ amount: 6.25 }))).toMatch(/^processing/);
    expect(said(makePaidDebitWithRefund('failed'), order({ amount: 10.25 }))).toMatch(/^processing/);
  });

  test('that repeats another is warned about, unless the former failed or is an hour old (B84)', () => {
    const warns = (stored: StoredDebit, now = 1_000) =>
      / journal$/.test(said(stored, order({}), { ...exampleDebitFacts, now }));
    expect([
      warns(makePaidDebitWithRefund('processing')),
      warns(makePaidDebitWithRefund('failed')),
      warns(makePaidDebitWithRefund('processing'), 3_600_000),
    ]).toEqual([true, false, false]);
  });
});

test('the card is looked up only for states and inputs whose decision depends on it', () => {
  const needing = (stored: StoredDebit | undefined) =>
    [...debitInputs, ...refundInputs].filter((input) => needsCard(stored, input)).map(({ is }) => is);
  expect(needing(undefined)).toEqual([]);
  expect(needing(makeDebitInState('preauthorized'))).toEqual(['captureAsked']);
  expect(needing(makeDebitInState('paid'))).toEqual(['ordered']);
  expect(needing(makeDebitInState('voided'))).toEqual([]);
  expect(needing(makePaidDebitWithRefund('processing'))).toEqual(['ordered', 'submitAsked', 'due']);
  expect(needing(makePaidDebitWithRefund('submitted'))).toEqual(['ordered']);
  expect(
    needsCard(makeDebitInState('preauthorized'), { of: 'debit', is: 'captureAsked', caller: otherCaller }),
  ).toBe(false);
});

function limited(limit: object): StoredDebit {
  const none = { blocked_amount: 0, blocked_reason: null, closed_at: null, closed_reason: null };
  return { ...makeDebitInState('paid'), limit: { debit_id: debitRow.id, ...none, ...limit } };
}
