import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import { DebitLedger } from './debit-ledger.ts';
import { Ledger } from './ledger.ts';

const debit = { id: 'd1', accountId: 'shop', environment: 'sandbox', currency: 'EUR' } as const;
const yes = { rule: 'default', why: 'no rule declines it' };
const no = { ...yes, refusal: { declineCode: 'lostCard', responseCode: '41', message: 'Lost card' } };

const ledger = new DebitLedger(new Ledger(createRuntime({ clock: 'virtual', seed: 5 })));
const book = (entries: readonly LedgerRow[]) => entries.map(({ kind, amount }) => `${kind} ${amount}`);

const declined = [ledger.authorize([], debit, 1000, no)];
const authorized = [ledger.authorize([], debit, 1000, yes)];
const captured = [...authorized, ...ledger.capture(authorized, debit, yes)];

test('one authorization a debit, whether it was given or refused (B136)', () => {
  expect(book(declined)).toEqual(['declined 1000']);
  for (const entries of [declined, authorized, captured])
    expect(() => ledger.authorize(entries, debit, 1000, yes)).toThrow(/already authorized/);
});

test('one capture a debit, of what was authorized', () => {
  expect(book(captured)).toEqual(['authorized 1000', 'captured 1000']);
  for (const entries of [[], declined, captured]) {
    expect(() => ledger.capture(entries, debit, yes)).toThrow(/nothing to capture/);
    expect(() => ledger.release(entries, debit, 'late')).toThrow(/nothing to release/);
  }
});

test('what was released or refused at capture holds nothing any more', () => {
  const refused = [...authorized, ...ledger.capture(authorized, debit, no)];
  expect(book(refused)).toEqual(['authorized 1000', 'declined 1000', 'reversed 1000']);
  const released = [...authorized, ledger.release(authorized, debit, 'late')];
  expect(book(released)).toEqual(['authorized 1000', 'reversed 1000']);
  for (const entries of [refused, released]) {
    expect(() => ledger.capture(entries, debit, yes)).toThrow(/holds nothing/);
    expect(() => ledger.release(entries, debit, 'again')).toThrow(/holds nothing/);
  }
});

test('never more refunded than captured, and what is returned can be refunded again', () => {
  const refund = (entries: LedgerRow[], id: string, amount: number) => [
    ...entries,
    ledger.refund(entries, debit, { id, amount }, 'r'),
  ];
  expect(() => refund(authorized, 'r0', 1)).toThrow(/left to refund/);
  const refunded = refund(captured, 'r1', 600);
  expect(() => refund(refunded, 'r2', 401)).toThrow(/left to refund/);
  const returned = [...refunded, ledger.return(refunded, debit, { id: 'r1', amount: 600 }, 'bank said no')];
  expect(book(refund(returned, 'r3', 1000)).slice(2)).toEqual([
    'refunded 600',
    'returned 600',
    'refunded 1000',
  ]);
});

test('a refund moves once and comes back once, with its own amount', () => {
  const back = (entries: LedgerRow[], amount: number) =>
    ledger.return(entries, debit, { id: 'r1', amount }, 'no');
  expect(() => back(captured, 100)).toThrow(/no such amount/);
  const refunded = [...captured, ledger.refund(captured, debit, { id: 'r1', amount: 100 }, 'r')];
  expect(() => ledger.refund(refunded, debit, { id: 'r1', amount: 100 }, 'r')).toThrow(/has moved/);
  expect(() => back(refunded, 99)).toThrow(/no such amount/);
  const returned = [...refunded, back(refunded, 100)];
  expect(() => back(returned, 100)).toThrow(/has returned/);
  expect(book(returned)).toEqual(['authorized 1000', 'captured 1000', 'refunded 100', 'returned 100']);
});
