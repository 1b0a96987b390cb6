import { expect, onTestFinished, test } from 'vitest';
import { type DrawScreenOptions, drawScreen } from './drawn-screen.fixture.ts';
import {
  addEndedPaymentEntries,
  addPaymentEntries,
  FakeSource,
  fakeReceipts,
} from './fake-source.fixture.ts';
import type { PaymentExplanation } from './source.ts';

/**
 * Tests how the screen shows the messages between the parties. Lines of the journal are opened, filtered and followed.
 * The page of a payment compares the amount that the issuer moved with the amount that was reported.
 */

const first = 'V400m-347312390';
const keys = { enter: '\r', escape: '\x1b', up: '\x1b[A', down: '\x1b[B', left: '\x1b[D', end: '\x1b[F' };

async function setup(options: DrawScreenOptions = {}) {
  const source = new FakeSource();
  const screen = await drawScreen(source, options);
  onTestFinished(async () => {
    await screen.type('\x03');
  });
  return { source, screen };
}

/** Adds a POS's request and its answer to the journal, both with their bodies. */
function journalRequest({ journal }: FakeSource): void {
  const path = '/terminals/019b7a5e-7c00-7000-8000-000000000000/payment-request';
  const named = { method: 'POST', path, requestId: 'r-1' };
  const body = { paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } };
  journal.add('http.received', { ...named, headers: { 'idempotency-key': 'order-7' }, body });
  journal.add(
    'payment.accepted',
    { amount: 1_250, currency: 'EUR', requestId: 'r-1' },
    { terminal: first, payment: 'p-1' },
  );
  const answer = { identifier: 'p-1', response: { result: 'success' } };
  journal.add('http.answered', {
    ...named,
    status: 200,
    durationMs: 2_656,
    headers: { 'Retry-After': '3' },
    body: answer,
  });
}

test('Enter opens a request and its answer, with headers and bodies as coloured JSON', async () => {
  const { source, screen } = await setup();
  journalRequest(source);
  await screen.drawn();
  await screen.type('j', keys.enter);
  for (const text of [
    'POST /terminals/019b7a5e-7c00-7000-8000-000000000000/payment-request',
    'idempotency-key: order-7',
    '      "requestedAmount": 12.5',
    '200 after 2.656 s',
    'Retry-After: 3',
    '  "identifier": "p-1",',
  ])
    expect(screen.text).toContain(text);
  expect(screen.sent).toMatch(/\x1b\[38;5;33m"requestedAmount"/);
  await screen.type(keys.escape);
  expect(screen.text).toContain('POS is answered 200');
});

test('an answer of 400 has the colour of errors, and one of 399 that of success', async () => {
  const { source, screen } = await setup();
  for (const status of [399, 400]) {
    const requestId = `r-${status}`;
    source.journal.add('http.answered', { method: 'GET', path: '/', requestId, status, durationMs: 5 });
    await screen.drawn();
    await screen.type('j', keys.end, keys.enter);
    const colour = status === 400 ? 167 : 34;
    expect(screen.sent).toContain(`\x1b[1;38;5;${colour}m${status}\x1b[m`);
    await screen.type(keys.escape, keys.escape);
  }
});

test('an opened request has the same text in black and white', async () => {
  const { source, screen } = await setup({ env: { NO_COLOR: '1' } });
  journalRequest(source);
  await screen.drawn();
  await screen.type('j', keys.enter);
  expect(screen.text).toContain('"requestedAmount": 12.5');
  expect(screen.sent).not.toMatch(/\x1b\[38;5/);
});

test('a nexo message is opened with its body', async () => {
  const { source, screen } = await setup();
  const body = { Response: { Result: 'Success' } };
  source.journal.add(
    'message.received',
    { link: '/poi', message: 'PaymentResponse', serviceId: 'S1', body },
    { terminal: first, payment: 'p-1' },
  );
  await screen.drawn();
  await screen.type('j', 'd', keys.enter);
  expect(screen.text).toContain('PaymentResponse from the other end of /poi');
  expect(screen.text).toContain('ServiceID: S1');
  expect(screen.text).toContain('"Result": "Success"');
});

test("the host's decision is opened with the rule that decided and why", async () => {
  const { source, screen } = await setup();
  const rule = 'amountEnding: the requested amount 11.24 EUR ends in 124: Not enough balance (210)';
  const about = { terminal: first, payment: 'p-1' };
  source.journal.add('payment.accepted', { amount: 1_124, currency: 'EUR', requestId: 'r' }, about);
  source.journal.add('ledger.declined', { amount: 1_124, currency: 'EUR', pspReference: 'X', rule }, about);
  const why = 'the terminal answers refusal: Not enough balance (210)';
  source.journal.add('payment.concluded', { result: 'failure', errorCondition: 'refusal', why }, about);
  await screen.drawn();
  const decided = ["the host's rule: amountEnding", 'because: the requested amount 11.24 EUR ends in 124'];
  await screen.type('j', keys.enter);
  for (const text of [...decided, 'result: refusal: Not enough balance (210)'])
    expect(screen.text).toContain(text);
  await screen.type(keys.left);
  for (const text of decided) expect(screen.text).toContain(text);
  expect(screen.text).not.toContain('result: refusal');
});

test('a line is opened by a click and selected with the arrow keys', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  journalRequest(source);
  await screen.drawn();
  await screen.click('POS asks POST');
  expect(screen.text).toContain('idempotency-key: order-7');
  await screen.type(keys.escape);
  expect(screen.text).not.toMatch(/▸.*POS asks POST/);
  await screen.type('j', '\x1b[H');
  expect(screen.text).toMatch(/▸.*POS asks POST/);
  await screen.type(keys.down);
  expect(screen.text).toMatch(/▸.*Payment of EUR 12.50 accepted/);
});

test('if the terminal waits for Enter, it gets the key, even if a line is selected', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  journalRequest(source);
  source.show('pin');
  await screen.drawn();
  await screen.click('POS asks POST');
  await screen.type(keys.escape, keys.enter);
  expect(source.done).toEqual([{ poiId: first, action: 'press', keys: ['enter'] }]);
});

test('a selected line stays in place while more happens, and the key End follows again', async () => {
  const { source, screen } = await setup();
  journalRequest(source);
  await screen.drawn();
  await screen.type('j', keys.up, keys.up);
  for (let i = 1; i <= 50; i++) source.journal.add('warning', { message: `thing ${i}.` });
  await screen.drawn();
  expect(screen.text).toMatch(/▸.*POS asks POST/);
  await screen.type(keys.end);
  expect(screen.text).toMatch(/▸.*thing 50\./);
});

test.each([
  ['fault', ['Answer lost']],
  ['answer', ['Answer lost']],
  ['ment-req', ['POS asks']],
])('letters match the begin of a word, and text with digits matches anywhere: %s', async (word, found) => {
  const { source, screen } = await setup();
  const path = '/terminals/019b7a5e-7c00-7000-8000-000000000001/payment-request';
  source.journal.add('http.received', { method: 'POST', path, requestId: 'a' });
  source.journal.add('fault.injected', {
    fault: 'dropAnswer',
    method: 'POST',
    path: '/debit',
    requestId: 'b',
  });
  const rule = 'default: no rule declines the payment';
  source.journal.add('ledger.authorized', { amount: 1, currency: 'EUR', pspReference: 'X', rule });
  await screen.type('j', '/', word, '\r');
  expect(screen.text).toContain(`Journal ${found.length} of /${word}`);
  for (const text of found) expect(screen.text).toContain(text);
});

test.each([
  ['a word of a body', 'order-7', ['POS asks']],
  ['several words', 'post 12.5', ['POS asks']],
  ['a payment', 'payment:p-1', ['POS asks', 'accepted', 'POS is answered']],
  ['a terminal', 'terminal:390', ['POS asks', 'accepted', 'POS is answered']],
  ['another terminal', 'terminal:391', []],
  ['a kind', 'kind:payment.', ['accepted']],
  ['what nothing has', 'zzz', []],
])('the journal is filtered by %s', async (_name, filter, found) => {
  const { source, screen } = await setup();
  journalRequest(source);
  source.journal.add('warning', { message: 'something else' });
  await screen.drawn();
  await screen.type('j', '/', filter);
  expect(screen.text).toContain(`Journal ${found.length} of /${filter}`);
  for (const text of ['POS asks', 'accepted', 'POS is answered'])
    expect(screen.text.includes(text)).toBe(found.includes(text));
  expect(screen.text).not.toContain('something else');
  if (found.length === 0) expect(screen.text).toContain('No line has all of these words');
  await screen.type(keys.escape);
  expect(screen.text).toContain('something else');
});

test('a filter also finds small print, and Enter keeps it', async () => {
  const { source, screen } = await setup();
  source.journal.add('message.sent', { link: 'x', message: 'AbortRequest' });
  await screen.drawn();
  expect(screen.text).not.toContain('AbortRequest');
  await screen.type('j', '/', 'abort', keys.enter, keys.enter);
  expect(screen.text).toContain('AbortRequest to the other end of x');
});

test('the payment, terminal or kind of the selected line can be made the filter, by key or click, and undone', async () => {
  const { source, screen } = await setup();
  journalRequest(source);
  source.journal.add('warning', { message: 'something else' });
  await screen.drawn();
  await screen.type('j', keys.up);
  await screen.type('p');
  expect(screen.text).toContain('Journal 3 of /payment:p-1');
  await screen.click('p payment');
  expect(screen.text).toContain('something else');
  await screen.click('k kind');
  expect(screen.text).toContain('of /kind:http.answered');
});

test('payments are listed with their time, outcome and reason', async () => {
  const { source, screen } = await setup();
  await addPaymentEntries(source);
  addEndedPaymentEntries(source, 'declined');
  const about = { terminal: 'V400m-347312391', payment: 'open' };
  source.journal.add('payment.accepted', { amount: 100, currency: 'EUR', requestId: 'r' }, about);
  await screen.drawn();
  await screen.type('l');
  expect(screen.text).toContain('Payments 1/3');
  expect(screen.text).toMatch(/09:00:08 V400m-347312391 ● +EUR 1\.00 · under way/);
  expect(screen.text).toMatch(/09:00:08 V400m-347312390 ✗ +EUR 11\.24 · refusal: Not enough balance \(210\)/);
  expect(screen.text).toMatch(/09:00:00 V400m-347312390 ✓ +EUR 51\.09, with a tip of 7\.79 · approved/);
});

test('payments from before the start of this process are listed too', async () => {
  const source = new FakeSource();
  const ended = { seq: 0, at: 0, success: false, errorCondition: 'deviceOut', why: '' };
  const earlier = { terminal: first, requestId: '', acceptedAt: 0, currency: 'EUR', requested: 990 };
  source.earlierList = [
    { ...earlier, id: 'before', ended },
    { ...earlier, id: 'recovered' },
  ];
  const screen = await drawScreen(source);
  onTestFinished(() => screen.type('\x03'));
  const about = { terminal: first, payment: 'recovered' };
  source.journal.add('payment.concluded', { result: 'success', why: 'approved' }, about);
  await screen.drawn();
  expect(screen.text).toContain('APPROVED EUR 9.90');
  await screen.type('l');
  expect(screen.text).toContain('EUR 9.90 · deviceOut');
  expect(screen.text).toContain('EUR 9.90 · approved');
});

test('the journal of a payment from before the start of this process is empty, and says why', async () => {
  const source = new FakeSource();
  const ended = { seq: 0, at: 0, success: true, why: '' };
  const payment = { id: 'before', terminal: first, requestId: '', acceptedAt: 0, currency: 'EUR' };
  source.earlierList = [{ ...payment, requested: 990, ended }];
  source.journal.add('warning', { message: 'something else' });
  const screen = await drawScreen(source);
  onTestFinished(() => screen.type('\x03'));
  await screen.drawn();
  await screen.type('l', keys.enter, 'j');
  expect(screen.text).toContain('Journal 0 of /payment:before');
  expect(screen.text).toContain('The journal is empty. It begins at the start of pinpad');
  expect(screen.text).not.toContain('something else');
});

const account: PaymentExplanation = {
  currency: 'EUR',
  original: null,
  givenBack: undefined,
  idempotencyKey: 'order-7',
  saleReferenceId: null,
  rule: 'default',
  why: 'no rule declines the payment',
  ledger: [
    {
      at: 0,
      kind: 'authorized',
      amount: '51.09',
      pspReference: 'PSP1',
      rule: 'default',
      why: 'no rule declines the payment',
    },
  ],
  moved: '51.09',
  reported: '51.09',
  agree: true,
  answer: { response: { result: 'success' } },
  warnings: ['the field tipp is not known and was ignored'],
};

test('a payment leads to its books, its journal, its receipts, and back', async () => {
  const { source, screen } = await setup();
  source.account = async () => account;
  source.receiptList = fakeReceipts();
  await addPaymentEntries(source);
  addEndedPaymentEntries(source, 'declined');
  source.changed();
  await screen.drawn();
  await screen.type('l', keys.down, keys.enter);
  for (const text of [
    'APPROVED EUR 51.09',
    'Idempotency-Key: order-7',
    '! the field tipp is not known',
    'authorized EUR 51.09  PSP1  default: no rule declines the payment',
    'Moved EUR 51.09, reported EUR 51.09: the books agree',
  ])
    expect(screen.text).toContain(text);
  await screen.type('j');
  expect(screen.text).toContain('of /payment:019b7a5e-7c00-7000-8000-0000000000aa');
  expect(screen.text).toContain('Printed the cashier receipt');
  await screen.type(keys.escape, 'v');
  expect(screen.text).toContain('CARDHOLDER COPY');
  await screen.type(keys.escape, keys.escape);
  expect(screen.text).toContain('Payments 2/2');
});

test('a payment without a receipt says so, and data that could not be read are named', async () => {
  const { source, screen } = await setup();
  source.account = () => Promise.reject(new Error('There is no payment declined'));
  source.receiptList = fakeReceipts();
  addEndedPaymentEntries(source, 'declined');
  source.changed();
  await screen.drawn();
  await screen.click('NOT APPROVED');
  expect(screen.text).toContain('not read: There is no payment declined');
  await screen.type('v');
  expect(screen.text).toContain('This payment printed no receipt');
});

test('a long body can be scrolled, and none of its text is cut off', async () => {
  const { source, screen } = await setup();
  const body = {
    items: Array.from({ length: 40 }, (_, index) => ({ name: `item ${index}` })),
    text: 'x'.repeat(200),
  };
  source.journal.add('http.received', { method: 'POST', path: '/x', requestId: 'r', body });
  await screen.drawn();
  await screen.type('j', keys.enter);
  expect(screen.text).toContain('"item 0"');
  expect(screen.text).not.toContain('"item 39"');
  await screen.wheel('down', '"item 0"');
  await screen.type(keys.end);
  expect(screen.text).toContain('"item 39"');
  expect(screen.text.match(/x/g)?.length).toBeGreaterThanOrEqual(200);
});
