import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import {
  bookAuthorization,
  bookCapture,
  bookRefund,
  bookRelease,
  bookReturnedRefund,
} from './debit-ledger.ts';
import { Ledger } from './ledger.ts';

const debit = { id: 'd1', accountId: 'shop', environment: 'sandbox', currency: 'EUR' } as const;
const yes = { rule: 'default', why: 'no rule declines the payment' };
const no = { ...yes, refusal: { declineCode: 'lostCard', responseCode: '41', message: 'Lost card' } };

const making = { now: 0, dice: new Ledger(createRuntime({ clock: 'virtual', seed: 5 })).dice };
const book = (entries: readonly LedgerRow[]) => entries.map(({ kind, amount }) => `${kind} ${amount}`);

const declined = [bookAuthorization([], debit, 1000, no, making)];
const authorized = [bookAuthorization([], debit, 1000, yes, making)];
const captured = [...authorized, ...bookCapture(authorized, debit, yes, making)];

test('a debit has one authorization, whether it was approved or refused (B136)', () => {
  expect(book(declined)).toEqual(['declined 1000']);
  for (const entries of [declined, authorized, captured])
    expect(() => bookAuthorization(entries, debit, 1000, yes, making)).toThrow(/already authorized/);
});

test('a debit has one capture, of the amount that was authorized', () => {
  expect(book(captured)).toEqual(['authorized 1000', 'captured 1000']);
  for (const entries of [[], declined, captured]) {
    expect(() => bookCapture(entries, debit, yes, making)).toThrow(/nothing to capture/);
    expect(() => bookRelease(entries, debit, 'late', making)).toThrow(/nothing to release/);
  }
});

test('a debit that was released, or refused at its capture, holds no amount any more', () => {
  const refused = [...authorized, ...bookCapture(authorized, debit, no, making)];
  expect(book(refused)).toEqual(['authorized 1000', 'declined 1000', 'reversed 1000']);
  const released = [...authorized, bookRelease(authorized, debit, 'late', making)];
  expect(book(released)).toEqual(['authorized 1000', 'reversed 1000']);
  for (const entries of [refused, released]) {
    expect(() => bookCapture(entries, debit, yes, making)).toThrow(/holds nothing/);
    expect(() => bookRelease(entries, debit, 'again', making)).toThrow(/holds nothing/);
  }
});

test('refunds never exceed what was captured, and a returned refund can be made again', () => {
  const refund = (entries: LedgerRow[], id: string, amount: number) => [
    ...entries,
    bookRefund(entries, debit, { id, amount }, 'r', making),
  ];
  expect(() => refund(authorized, 'r0', 1)).toThrow(/left to refund/);
  const refunded = refund(captured, 'r1', 600);
  expect(() => refund(refunded, 'r2', 401)).toThrow(/left to refund/);
  const returned = [
    ...refunded,
    bookReturnedRefund(refunded, debit, { id: 'r1', amount: 600 }, 'bank said no', making),
  ];
  expect(book(refund(returned, 'r3', 1000)).slice(2)).toEqual([
    'refunded 600',
    'returned 600',
    'refunded 1000',
  ]);
});

test('a refund moves its own amount once, and comes back at most once', () => {
  const back = (entries: LedgerRow[], amount: number) =>
    bookReturnedRefund(entries, debit, { id: 'r1', amount }, 'no', making);
  expect(() => back(captured, 100)).toThrow(/did not move this amount/);
  const refunded = [...captured, bookRefund(captured, debit, { id: 'r1', amount: 100 }, 'r', making)];
  expect(() => bookRefund(refunded, debit, { id: 'r1', amount: 100 }, 'r', making)).toThrow(
    /has already moved/,
  );
  expect(() => back(refunded, 99)).toThrow(/did not move this amount/);
  const returned = [...refunded, back(refunded, 100)];
  expect(() => back(returned, 100)).toThrow(/has already returned/);
  expect(book(returned)).toEqual(['authorized 1000', 'captured 1000', 'refunded 100', 'returned 100']);
});
