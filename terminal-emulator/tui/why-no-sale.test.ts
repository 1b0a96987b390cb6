import { expect, test } from 'vitest';
import { drawScreen } from './drawn-screen.fixture.ts';
import { addEndedPaymentEntries, addPaymentEntries, FakeSource } from './fake-source.fixture.ts';
import { addLostAnswerEntries } from './lost-answer.fixture.ts';

/**
 * Tests how the text UI shows the requests of a point of sale: as a list of the last sales, and as a diagram of each
 * sale (B266, B267).
 */

const keys = { up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D', enter: '\r', escape: '\x1b' };

async function setup(size = { columns: 80, rows: 24 }) {
  const source = new FakeSource();
  const screen = await drawScreen(source, size);
  return { source, screen };
}

const path = '/terminals/019b7a5e-7c00-7000-8000-000000000000/payment-request';

test('the line of a sale shows its time, amount, place, reference, requests and result', async () => {
  const { source, screen } = await setup();
  await addLostAnswerEntries(source);
  await screen.drawn();
  expect(screen.lines[18]).toBe(
    ' 09:00:00    12.50 …91 sale-9XYZ POST lost, status ×2                  approved',
  );
});

test("a finding is shown at the end of the sale's line, and first when the sale is opened", async () => {
  const { source, screen } = await setup();
  await addLostAnswerEntries(source);
  source.find({
    rule: 'fast-polling',
    severity: 'warning',
    what: 'the status was asked for twice within a second',
    fix: 'wait as long as Retry-After says',
    count: 2,
  });
  await screen.drawn();
  expect(screen.lines[18]).toMatch(/approved ⚠ fast-polling$/);
  expect(screen.lines[22]).toContain('⚠ sale-9XYZ: the status was asked for twice within a second');
  await screen.resize(60, 15);
  expect(screen.lines[9]).toMatch(/approved ⚠1$/);
  await screen.resize(80, 24);
  await screen.type(keys.enter);
  expect(screen.lines[1]).toContain('Sale sale-9XYZ, EUR 12.50, approved');
  expect(screen.text).toContain(
    'Risky: fast-polling (2 times): the status was asked for twice within a second',
  );
  expect(screen.text).toContain('wait as long as Retry-After says');
});

test('the line below shows the finding about the last visible sale that has one (B316)', async () => {
  const { source, screen } = await setup();
  await addLostAnswerEntries(source);
  const what =
    'the customer paid twice: sale sale-9XYZ was requested again with a new key, k-10, while the outcome was not learnt';
  source.find({ rule: 'blind-payment-retry', severity: 'error', what, fix: 'ask', count: 1 });
  await addPaymentEntries(source);
  await screen.drawn();
  expect(screen.lines[22]).toBe(' ⚠ the customer paid twice: sale-9XYZ was sent again with a new key');
  source.show('tip');
  await screen.drawn();
  expect(screen.lines[22]).toContain('Type the number of a tip');
  source.show('idle');
});

test('of several findings about a sale the line below shows the gravest, however late it was found (B316)', async () => {
  const { source, screen } = await setup();
  await addLostAnswerEntries(source);
  const found = (rule: string, severity: 'error' | 'warning', what: string) =>
    ({ rule, severity, what, fix: 'ask', count: 1 }) as const;
  const slight = found('fast-polling', 'warning', 'the status was asked for twice within a second');
  const grave = found('unknown-outcome', 'error', 'nobody asked for the outcome');
  source.find(slight);
  await screen.drawn();
  expect(screen.lines[22]).toContain('the status was asked for twice within a second');
  source.find(slight, grave);
  await screen.drawn();
  expect(screen.lines[22]).toContain('nobody asked for the outcome');
});

/**
 * Adds a payment request to the journal, and a finding about a mistake in it. The request is refused, because its
 * amount is a text.
 */
function journalRefused(source: FakeSource): void {
  const about = { method: 'POST', path, requestId: 'r9', accountId: 'shop' };
  const body = { saleData: { saleReferenceId: 'sale-text' } };
  source.journal.add('http.received', { ...about, headers: {}, body });
  const message = 'must be a number, not a string';
  const error = { error: 'invalidRequest', message: 'The request is not valid', details: [{ message }] };
  source.journal.add('http.answered', { ...about, status: 400, durationMs: 1, body: error, whole: true });
  const what = `POST /terminals/…/payment-request was refused with 400 invalidRequest: paymentTransaction.amountsReq.requestedAmount ${message}`;
  source.find({
    rule: 'refused-request',
    severity: 'warning',
    what,
    fix: 'send amounts as numbers',
    count: 1,
  });
}

test('a key that has no effect at an opened sale says so, and is not offered (B267)', async () => {
  const { source, screen } = await setup();
  journalRefused(source);
  await screen.drawn();
  await screen.type(keys.enter);
  expect(screen.text).not.toContain('why, books');
  for (const [key, said] of [
    ['p', 'This sale has no payment.'],
    [keys.left, 'This is the first sale.'],
    [keys.right, 'This is the last sale.'],
  ] as const) {
    await screen.type(key);
    expect(screen.text).toContain(said);
  }
});

test('the reason of a refused request is shown in full at 80 x 24, and its code at 60 x 15', async () => {
  const { source, screen } = await setup();
  journalRefused(source);
  await screen.drawn();
  const why = ' ⚠ sale-text: 400 invalidRequest: requestedAmount must be a number, not a string';
  expect(screen.lines[22]).toBe(why);
  await screen.resize(60, 15);
  expect(screen.lines[9]).toMatch(/400 invalidRequest ⚠1$/);
});

test('a finding without a sale is shown until a key is pressed or a sale with a finding comes', async () => {
  const { source, screen } = await setup();
  source.findWithoutSale('GET /terminals was refused with 401');
  await screen.drawn();
  expect(screen.lines[22]).toBe(' ✗ GET /terminals was refused with 401');
  await screen.type('d');
  expect(screen.lines[22]).not.toContain('401');
  source.findWithoutSale('GET /terminals was refused with 401');
  journalRefused(source);
  await screen.drawn();
  expect(screen.lines[22]).toMatch(/^ ⚠ sale-text: 400/);
});

test('a sale with a finding that is not visible is announced, and o opens it (B363)', async () => {
  const { source, screen } = await setup();
  await addLostAnswerEntries(source);
  const what = 'the customer paid twice: sale sale-9XYZ was requested again with a new key';
  source.find({ rule: 'blind-payment-retry', severity: 'error', what, fix: 'ask', count: 1 });
  for (let index = 10; index < 14; index++)
    addEndedPaymentEntries(source, `payment-${index}`, { amount: index * 100 });
  await screen.drawn();
  expect(screen.text).not.toContain('12.50 …91 sale-9XYZ');
  expect(screen.lines[22]).toMatch(
    /^ ⚠ 1 sale above went wrong \(o opens the last\): the customer paid twice: sale/,
  );
  await screen.resize(60, 15);
  expect(screen.lines[13]).toContain('⚠ 1 sale above went wrong (o opens the last): the customer');
  await screen.resize(80, 24);
  await screen.type('o');
  expect(screen.lines[1]).toContain('Sale sale-9XYZ, EUR 12.50');
  await screen.type(keys.escape);
  expect(screen.lines[22]).toContain('Press a to ring up a sale');
});

test('a long reference keeps its end, which distinguishes it from others (B266)', async () => {
  const { source, screen } = await setup({ columns: 60, rows: 15 });
  for (const end of ['1001', '1002'])
    source.journal.add(
      'payment.accepted',
      {
        amount: 500,
        currency: 'EUR',
        requestId: end,
        accountId: 'shop',
        saleReferenceId: `order-of-today-${end}`,
      },
      { terminal: 'V400m-347312390', payment: `payment-${end}` },
    );
  await screen.drawn();
  expect(screen.lines.slice(9, 11).map((line) => line.slice(23, 32))).toEqual(['ord…-1001', 'ord…-1002']);
});

test('a sale opens as a diagram of calls, from there a message opens, and Esc goes back step by step', async () => {
  const { source, screen } = await setup();
  await addLostAnswerEntries(source);
  await screen.drawn();
  await screen.type(keys.enter);
  const at = (text: string) => screen.lines.findIndex((line) => line.includes(text));
  const order = [
    'POS ─ POST payment-request 12.5, sale-9XYZ, key k-9 ─',
    'payment begins on V400m-347312391',
    'payment on V400m-347312391 approved',
    'POS ✗ lost: a fault, set by a test, broke the connection',
    'POS ─ GET /payment-requests/status, key k-9 ─',
    'POS ◂─',
  ].map(at);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order[0]).toBeGreaterThan(0);
  await screen.type(keys.down, keys.down, keys.down, keys.down, keys.down, keys.enter);
  expect(screen.lines[1]).toContain('POS is answered 200 approved EUR 12.50');
  expect(screen.text).toContain('"posAuthAmountValue": "1250"');
  await screen.type(keys.escape);
  expect(screen.text).toMatch(/▸09:00:06 POS ◂─+ 200 approved EUR 12.50 after 3 ms ─ *gateway/);
  await screen.type('p');
  expect(screen.lines[1]).toContain('EUR 12.50 on V400m-347312391');
  await screen.type(keys.escape, keys.escape);
  expect(screen.text).toContain('▸ Cards 1/23');
});

test('left and right go to the neighbouring sales, and a click opens a sale', async () => {
  const { source, screen } = await setup();
  await addPaymentEntries(source);
  await addLostAnswerEntries(source);
  await screen.drawn();
  await screen.click('sale-7KQ2');
  expect(screen.lines[1]).toContain('Sale sale-7KQ2, EUR 51.09');
  await screen.type(keys.right);
  expect(screen.lines[1]).toContain('Sale sale-9XYZ');
  await screen.type(keys.left);
  expect(screen.lines[1]).toContain('Sale sale-7KQ2');
});

test('the terminal gets Enter if it accepts it', async () => {
  const { source, screen } = await setup();
  await addPaymentEntries(source);
  source.show('pin');
  await screen.drawn();
  await screen.type(keys.enter);
  expect(source.done).toEqual([{ poiId: 'V400m-347312390', action: 'press', keys: ['enter'] }]);
});

test('the latest of many sales are shown, and the arrow keys reach the others', async () => {
  const { source, screen } = await setup();
  for (let index = 10; index < 30; index++)
    addEndedPaymentEntries(source, `payment-${index}`, { amount: index * 100 });
  await screen.drawn();
  expect(screen.text).toContain(' 29.00 ');
  expect(screen.text).not.toContain(' 25.00 ');
  await screen.type(keys.right, keys.up, keys.up, keys.up, keys.up);
  expect(screen.text).toMatch(/▸09:00:00 +25\.00 /);
  expect(screen.text).toContain('3 newer, End follows');
  await screen.type(keys.enter);
  expect(screen.lines[1]).toContain('EUR 25.00, declined: refusal');
});

test('the list follows new sales again after a sale opened from elsewhere is closed, or a click on the newer ones', async () => {
  const { source, screen } = await setup();
  for (let index = 10; index < 30; index++)
    addEndedPaymentEntries(source, `payment-${index}`, { amount: index * 100 });
  await screen.drawn();
  await screen.click('27.00');
  expect(screen.lines[1]).toContain('EUR 27.00');
  await screen.type(keys.escape);
  for (let index = 30; index < 40; index++)
    addEndedPaymentEntries(source, `payment-${index}`, { amount: index * 100 });
  await screen.drawn();
  expect(screen.text).toContain(' 39.00 ');
  expect(screen.text).not.toContain('newer');
  await screen.type(keys.right, keys.up, keys.up, keys.up, keys.up);
  await screen.click('newer, End follows');
  expect(screen.text).not.toContain('newer');
});

test('the key z gives the room of the device to the sales, and back', async () => {
  const { source, screen } = await setup();
  for (let index = 10; index < 30; index++)
    addEndedPaymentEntries(source, `payment-${index}`, { amount: index * 100 });
  source.show('tip');
  await screen.drawn();
  await screen.type('z');
  expect(screen.text).not.toContain('● power');
  expect(screen.text).toContain(' 17.00 ');
  expect(screen.text).toContain('Add a tip?');
  expect(screen.text).toMatch(/\[1\] 15% €/);
  await screen.type('2');
  expect(source.done).toEqual([{ poiId: 'V400m-347312390', action: 'press', keys: ['2'] }]);
  await screen.type('z');
  expect(screen.text).toContain('● power');
});

test('both sales and journal are shown at 120 x 40', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  await addPaymentEntries(source);
  await screen.drawn();
  expect(screen.text).toContain('── Sales ');
  expect(screen.text).toContain('── Journal ');
  expect(screen.text).toContain(' sale-7KQ2 POST ');
});

test('a sale that moved money and was told to nobody says so', async () => {
  const { source, screen } = await setup();
  const { journal, clock } = source;
  const about = { terminal: 'V400m-347312390', payment: 'p-1' };
  const named = { method: 'POST', path, requestId: 'r', accountId: 'shop' };
  journal.add('http.received', {
    ...named,
    body: { paymentTransaction: { amountsReq: { requestedAmount: 5 } } },
  });
  journal.add('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r', accountId: 'shop' }, about);
  journal.add('http.hungUp', named);
  await clock.advance(1_000);
  const booked = {
    amount: 500,
    currency: 'EUR',
    pspReference: 'p',
    rule: 'default: no rule declines the payment',
  };
  journal.add('ledger.authorized', booked, about);
  journal.add('payment.concluded', { result: 'success', why: 'the terminal answers approved' }, about);
  await screen.drawn();
  expect(screen.lines[18]).toMatch(/POST hung up +approved, not told$/);
});

test('no line of a sale is wider than its window, whatever its names are', async () => {
  for (const size of [
    { columns: 80, rows: 24 },
    { columns: 60, rows: 15 },
  ]) {
    const { source, screen } = await setup(size);
    const names = { saleReferenceId: '東京'.repeat(40), idempotencyKey: 'k'.repeat(200), accountId: 'shop' };
    const order = { amount: 99_999_999_999, currency: 'EUR', requestId: 'r', ...names };
    source.journal.add('payment.accepted', order, { terminal: 'V400m-347312390', payment: 'p-1' });
    const ended = {
      result: 'failure',
      errorCondition: 'refusal',
      why: `the terminal answers refusal: ${'x'.repeat(300)}`,
    } as const;
    source.journal.add('payment.concluded', ended, { terminal: 'V400m-347312390', payment: 'p-1' });
    await screen.drawn();
    expect(screen.text).toContain('declined: refusal');
    expect(screen.lines.filter((line) => line.length > size.columns)).toEqual([]);
  }
});
