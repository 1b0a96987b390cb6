import { expect, onTestFinished, test } from 'vitest';
import { drawScreen } from './drawn-screen.fixture.ts';
import { addPaymentEntries, FakeSource } from './fake-source.fixture.ts';

/** Tests what the screen says about money that is given back at a terminal (B516). */

const keys = { enter: '\r', escape: '\x1b', down: '\x1b[B' };
const terminal = 'V400m-347312390';

async function setup() {
  const source = new FakeSource();
  const screen = await drawScreen(source, { columns: 80, rows: 24 });
  onTestFinished(() => screen.type('\x03'));
  await addPaymentEntries(source);
  return { source, screen, original: source.journal.since().find(({ payment }) => payment)?.payment ?? '' };
}

function givesBack({ journal }: FakeSource, original: string, amount: number) {
  const about = { terminal, payment: 'back-1' };
  const order = {
    amount,
    currency: 'EUR',
    requestId: 'r9',
    accountId: 'demo',
    paymentKind: 'reversal',
  } as const;
  journal.add('payment.accepted', { ...order, original }, about);
  const rule = 'default: nothing declines it';
  journal.add('ledger.refunded', { amount, currency: 'EUR', refund: 'back-1', rule }, about);
  journal.add('payment.concluded', { result: 'success', why: 'the terminal answers approved' }, about);
}

test('the line and the page of a sale show what was given back (B516)', async () => {
  const { source, screen, original } = await setup();
  givesBack(source, original, 500);
  await screen.drawn();
  expect(screen.text).toContain('approved, 5.00 given back');
  await screen.type(keys.enter);
  expect(screen.text).toContain('charged: EUR 46.09');
  expect(screen.text).toContain('given back: EUR 5.00 by a reversal');
  expect(screen.text).toContain(`reversal of EUR 5.00 begins on ${terminal}`);
});

test('the journal shows what the issuer gave back, and took back again (B516)', async () => {
  const { source, screen, original } = await setup();
  givesBack(source, original, 500);
  const taken = { amount: 500, currency: 'EUR', refund: 'back-1', reason: 'the terminal takes it back' };
  source.journal.add('ledger.returned', taken, { terminal, payment: 'back-1' });
  await screen.resize(120, 40);
  await screen.drawn();
  expect(screen.text).toContain('Reversal of EUR 5.00 accepted');
  expect(screen.text).toContain('Issuer gave EUR 5.00 back (default: nothing declines it)');
  expect(screen.text).toContain('Issuer took back EUR 5.00 that it had given: ');
});

test("a payment's page names its reversals, and a reversal's page names its payment (B516)", async () => {
  const { source, screen, original } = await setup();
  givesBack(source, original, 500);
  source.account = async () => ({
    ...{ currency: 'EUR', original, givenBack: undefined, idempotencyKey: 'k9', saleReferenceId: null },
    ...{ rule: 'default', why: 'nothing declines it', moved: '5.00', reported: '5.00', agree: true },
    ledger: [
      {
        ...{ at: 0, kind: 'refunded', amount: '5.00', pspReference: 'PSP9', rule: 'default' },
        why: 'nothing declines it',
      },
    ],
    ...{ answer: null, warnings: [] },
  });
  await screen.drawn();
  await screen.type('l', keys.enter);
  expect(screen.text).toContain('APPROVED reversal of EUR 5.00');
  expect(screen.text).toContain('reversal: back-1');
  expect(screen.text).toContain(`gives back: ${original}`);
  expect(screen.text).toContain('refunded EUR 5.00');
  expect(screen.text).toContain('Moved EUR 5.00, reported EUR 5.00: the books agree');
});
