import { expect, test } from 'vitest';
import { drawScreen } from './drawn-screen.fixture.ts';
import {
  addEndedPaymentEntries,
  addPaymentEntries,
  FakeSource,
  fakeReceipts,
} from './fake-source.fixture.ts';

/**
 * Tests what the screen says about payments that have ended on the terminal in view, even if another program
 * requested these payments.
 */

const [first, second] = ['V400m-347312390', 'V400m-347312391'];

async function setup(size = { columns: 80, rows: 24 }) {
  const source = new FakeSource();
  const screen = await drawScreen(source, size);
  return { source, screen };
}

test('the last outcome is shown with its reason, whichever program requested the payment', async () => {
  const { source, screen } = await setup();
  await addPaymentEntries(source);
  await screen.drawn();
  expect(screen.text).toContain('✓ APPROVED EUR 51.09, with a tip of 7.79');
  addEndedPaymentEntries(source, 'by-curl');
  await screen.drawn();
  expect(screen.text).toContain('✗ NOT APPROVED EUR 11.24 · refusal: Not enough balance (210)');
  expect(screen.text).not.toContain('✓ APPROVED');
});

test('an outcome is shown only at its own terminal', async () => {
  const { source, screen } = await setup();
  addEndedPaymentEntries(source, 'elsewhere', { terminal: second });
  await screen.drawn();
  expect(screen.text).not.toContain('NOT APPROVED');
  await screen.type('\t');
  expect(screen.text).toContain('NOT APPROVED EUR 11.24');
});

test('a payment under way replaces the former outcome', async () => {
  const { source, screen } = await setup();
  addEndedPaymentEntries(source, 'former');
  const about = { terminal: first, payment: 'next' };
  source.journal.add('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r' }, about);
  await screen.drawn();
  expect(screen.text).toContain('UNDER WAY EUR 5.00');
  expect(screen.text).not.toContain('NOT APPROVED');
  source.journal.add('payment.concluded', { result: 'success', why: 'approved' }, about);
  await screen.drawn();
  expect(screen.text).toContain('✓ APPROVED EUR 5.00');
  expect(screen.text).not.toContain('UNDER WAY');
});

test('the line does not show a payment that was refused because another one was under way', async () => {
  const { source, screen } = await setup();
  const about = { terminal: first, payment: 'long' };
  source.journal.add('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r' }, about);
  addEndedPaymentEntries(source, 'busy', { errorCondition: 'busy', why: 'another payment is under way' });
  await screen.drawn();
  expect(screen.text).toContain('UNDER WAY EUR 5.00');
  source.journal.add('payment.concluded', { result: 'success', why: 'the terminal answers approved' }, about);
  await screen.drawn();
  expect(screen.text).toContain('APPROVED EUR 5.00');
});

test('the sentence that says what to do next is beside the outcome', async () => {
  const { source, screen } = await setup();
  addEndedPaymentEntries(source, 'one');
  source.show('presentCard');
  await screen.drawn();
  expect(screen.lines[17]).toContain('NOT APPROVED');
  expect(screen.lines[22]).toContain(
    't taps or i inserts the selected card; the arrow keys select another card.',
  );
  source.show('declined');
  await screen.drawn();
  expect(screen.lines[22]).toContain('To see why, press l, select this payment');
});

test.each([
  { columns: 80, rows: 24, keys: ['v'] },
  { columns: 120, rows: 40, keys: [] },
])('a receipt is marked as older after a decline, at $columns x $rows', async ({ keys, ...size }) => {
  const { source, screen } = await setup(size);
  source.receiptList = fakeReceipts();
  await addPaymentEntries(source);
  source.changed();
  await screen.drawn();
  await screen.type(...keys);
  expect(screen.text).not.toContain('Older receipt');
  addEndedPaymentEntries(source, 'declined');
  await screen.drawn();
  expect(screen.text).toContain('Older receipt. The last payment,');
  expect(screen.text).toContain('EUR 11.24, was not approved.');
});

test('a receipt is marked as older during the next payment, and until its card is out', async () => {
  const { source, screen } = await setup();
  source.receiptList = fakeReceipts('019b7a5e-7c00-7000-8000-000000000001');
  source.changed();
  await addPaymentEntries(source);
  await screen.drawn();
  await screen.type('v');
  expect(screen.text).toContain('EUR 51.09, with a tip of 7.79,');
  expect(screen.text).toContain('prints when the card is out.');
  const about = { terminal: 'V400m-347312390', payment: '019b7a5e-7c00-7000-8000-0000000000ab' };
  source.journal.add('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r2' }, about);
  await screen.drawn();
  expect(screen.text).toContain('EUR 5.00, is not over.');
});

test('a receipt is not cut off if there is room beside the journal', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  source.receiptList = fakeReceipts();
  source.changed();
  await screen.drawn();
  expect(screen.text).toContain('CARDHOLDER COPY');
  expect(screen.text).toContain('Thank you');
});

test.each([
  ['refund', 'Refund of EUR 5.00 accepted'],
  ['reversal', 'Reversal of EUR 5.00 accepted'],
] as const)('a %s is named as such wherever it could be taken for a payment', async (paymentKind, line) => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  const about = { terminal: first, payment: 'back' };
  const accepted = { amount: 500, currency: 'EUR', requestId: 'r', paymentKind };
  source.journal.add('payment.accepted', accepted, about);
  await screen.drawn();
  expect(screen.text).toContain(`UNDER WAY ${paymentKind} of EUR 5.00`);
  expect(screen.text).toContain(line);
  await screen.type('q');
  expect(screen.text).toContain(`${paymentKind} of EUR 5.00 is under way on ${first}.`);
  await screen.type('\u001b');
  source.journal.add('payment.concluded', { result: 'success', why: 'approved' }, about);
  await screen.drawn();
  expect(screen.text).toContain(`✓ APPROVED ${paymentKind} of EUR 5.00`);
  await screen.type('l');
  expect(screen.text).toContain(`${paymentKind} of EUR 5.00 · approved`);
});
