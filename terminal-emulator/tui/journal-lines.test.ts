import { expect, test } from 'vitest';
import {
  Journal,
  type JournalDataByKind,
  type JournalEntry,
  type JournalKind,
} from '../../shared/journal.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { makeJournalLine } from './journal-lines.ts';

function described<K extends JournalKind>(kind: K, data: JournalDataByKind[K]) {
  const journal = new Journal(new VirtualClock({ startMs: Date.UTC(2026, 0, 1, 9, 0, 12) }));
  journal.add(kind, data, { terminal: 'V400m-1' });
  return makeJournalLine(journal.since()[0]!);
}

test('an entry becomes a line with the time of day', () => {
  const { time, text, terminal } = described('payment.accepted', {
    amount: 4_330,
    currency: 'EUR',
    requestId: 'r1',
  });
  expect({ time, text, terminal }).toEqual({
    time: '09:00:12',
    text: 'Payment of EUR 43.30 accepted',
    terminal: 'V400m-1',
  });
});

test('a request is shown by its amount, reference and key, and a UUID by its end (B265)', () => {
  const path = '/terminals/019b7a5e-7c00-7000-8000-0000000012ab/payment-request';
  const body = {
    paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
    saleData: { saleReferenceId: 'sale-7KQ2' },
  };
  const headers = { 'idempotency-key': '019b7a5e-7c00-7000-8000-0000000012ab' };
  expect(described('http.received', { method: 'POST', path, requestId: 'r', headers, body }).text).toBe(
    'POS asks POST payment-request 12.5, sale-7KQ2, key ~12ab',
  );
  const debit = path.replace('terminals', 'debit').replace('payment-request', 'refunds');
  expect(described('http.received', { method: 'GET', path: debit, requestId: 'r' }).text).toBe(
    'POS asks GET /debit/~12ab/refunds',
  );
});

test('a body is read once, and only for a line on the screen', () => {
  let read = 0;
  const body = () => {
    read++;
    return { saleData: { saleReferenceId: 'sale-7KQ2' } };
  };
  const data = Object.defineProperty({ method: 'POST', path: '/x', requestId: 'r' }, 'body', { get: body });
  const line = makeJournalLine({ seq: 1, at: 0, kind: 'http.received', data });
  expect(read).toBe(0);
  expect([line.text, line.text]).toEqual(Array(2).fill('POS asks POST /x, sale-7KQ2'));
  expect(read).toBe(1);
});

test('a caller of the control API is not shown as the POS', () => {
  const named = { method: 'POST', path: '/control/payments', requestId: 'r' };
  expect(described('http.received', named).text).toBe('Control asks POST /control/payments');
  expect(described('http.answered', { ...named, status: 200, durationMs: 5 }).text).toMatch(
    /^Control is answered 200 after 5 ms /,
  );
  expect(described('http.hungUp', named).text).toMatch(/^Control hung up on /);
});

test('the result is shown by colour as well as by words', () => {
  const failed = described('payment.concluded', {
    result: 'failure',
    errorCondition: 'wrongPin',
    why: 'third try',
  });
  expect(failed).toMatchObject({ tone: 'error', text: 'Payment failed: wrongPin - third try' });
  expect(described('payment.concluded', { result: 'success', why: 'approved' }).tone).toBe('success');
});

test('messages and keys are small print, and display events are not', () => {
  expect(described('message.sent', { link: 'l', message: 'PaymentRequest' }).detail).toBe(true);
  expect(described('terminal.key', { key: '1' }).detail).toBe(true);
  expect(described('terminal.screen', { state: 'pin', title: 'Enter PIN' }).detail).toBe(false);
  expect(described('terminal.screen', { state: 'off', title: '' }).text).toBe('Display: off');
});

test('lines show the settings of the network, the power and the delay', () => {
  const lines = [
    described('terminal.network', { up: false }),
    described('terminal.network', { up: true }),
    described('terminal.power', { on: false }),
    described('terminal.power', { on: true }),
    described('terminal.cutPlanned', { at: 'resultStored', mode: 'always' }),
    described('terminal.cutPlanned', {}),
    described('terminal.flapping', { times: 3, downMs: 100, upMs: 100 }),
    described('terminal.flapping', { times: 0 }),
    described('terminal.latency', { latencyMs: 1 }),
    described('terminal.latency', { latencyMs: 0 }),
  ];
  expect(lines.map(({ text }) => text)).toEqual([
    'Network cable out',
    'Network cable in',
    'Power off',
    'Power on',
    'Power will be cut at the moment resultStored, every time',
    'Planned power cut cancelled',
    'Network fails and comes back, 3 times',
    'The repeated network failures are over',
    'Network slow: 1 ms',
    'Network fast',
  ]);
});

test('an unknown kind of entry is small print, and does not crash', () => {
  const entry = { seq: 1, at: 0, kind: 'future.kind', data: {} };
  expect(makeJournalLine(entry as unknown as JournalEntry)).toMatchObject({
    text: 'future.kind',
    detail: true,
  });
});
