import { describe, expect, test } from 'vitest';
import { createGiveBackHarness } from './giving-back.fixture.ts';
import { createSalesHarness } from './sales.fixture.ts';
import { mostPaymentsOfReference } from './same-sale.ts';

const hour = 3_600_000;
type Pos = ReturnType<typeof createSalesHarness>;

const shop = () => createGiveBackHarness(createSalesHarness());

function paid(pos: Pos, payment: string, reference = 'order-1'): void {
  const asked = pos.asks({ key: payment, reference });
  pos.accepted(asked, payment, { key: payment, reference });
  pos.approved(payment);
  pos.answered(asked, 200, { identifier: payment, response: { result: 'success' } });
}

describe('a reversal or refund of a payment', () => {
  test('belongs to its sale, even days later and without a reference, and reduces what was charged (B510)', async () => {
    const { pos, ask, accepted, gaveBack, told } = shop();
    paid(pos, 'p1');
    await pos.clock.advance(50 * hour);
    const asked = ask('reversal', { original: 'p', amount: 5 });
    accepted(asked, 'b1', { amount: 500, original: 'p1' });
    expect(pos.sale).toMatchObject({ outcome: 'success', outcomeText: 'approved, giving back' });
    gaveBack('b1', 500);
    told(asked, 'b1');
    expect(pos.sale).toMatchObject({
      ...{ saleId: 'p1', kind: 'payment', amount: 12.5, total: 12.5, tip: null, charged: 7.5, told: 'told' },
      ...{ outcome: 'success', outcomeText: 'approved, 5.00 given back', callsText: 'POST, reversal' },
      attempts: [
        { payment: 'p1', kind: 'payment', original: null, charged: 12.5 },
        { payment: 'b1', kind: 'reversal', original: 'p1', amount: 5, charged: -5, told: 'told' },
      ],
    });
    paid(pos, 'p2');
    expect(pos.sales.ofPayment('p2')?.attempts).toHaveLength(1);
  });

  test('belongs to its sale even if it is refused, and the total given back is shown (B510)', () => {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1');
    accepted(ask('reversal', { original: 'p' }), 'b1', { amount: 1250, original: 'p1' });
    gaveBack('b1', 1250);
    const { requestId, method, path } = ask('reversal', { original: 'p' });
    const means = { status: 409, as: 'NotAllowed' };
    pos.journal.add('http.answered', {
      requestId,
      method,
      path,
      status: 200,
      durationMs: 5,
      whole: true,
      means,
    });
    expect(pos.sale).toMatchObject({
      ...{ charged: 0, outcomeText: 'approved, all given back' },
      callsText: 'POST, reversal open, reversal NotAllowed',
    });
  });

  test('takes nothing from what was charged if it failed (B510)', () => {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1');
    accepted(ask('reversal', { original: 'p' }), 'b1', { amount: 1250, original: 'p1' });
    gaveBack('b1', 1250);
    const taken = { amount: 1250, currency: 'EUR', refund: 'b1', reason: 'the terminal takes it back' };
    pos.journal.add('ledger.returned', taken, { payment: 'b1' });
    pos.declined('b1');
    expect(pos.sale).toMatchObject({ charged: 12.5, outcomeText: 'approved, reversal failed' });
  });

  test('belongs to the sale of a payment that only the store has (B510)', () => {
    const { pos, ask, accepted, gaveBack } = shop();
    accepted(ask('reversal', { original: 'p', amount: 5 }), 'b1', { amount: 500, original: 'p1' });
    gaveBack('b1', 500);
    expect(pos.sales.begins('b1')).toBe(true);
    const row = { accountId: 'shop', reference: 'order-1', terminal: 'V400m-1', currency: 'EUR' };
    const ended = { outcome: 'success', reason: undefined, why: undefined, concludedAt: 2 } as const;
    const original = {
      ...row,
      ...ended,
      payment: 'p1',
      key: 'k1',
      amount: 1250,
      acceptedAt: 1,
      charged: 1250,
    };
    pos.sales.complete('p1', [original]);
    expect(pos.sale).toMatchObject({ saleId: 'p1', saleReferenceId: 'order-1', charged: 7.5 });
  });

  test('does not count towards a crowd, and stays with its payment if a crowd is split (B237, B513)', () => {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1', 'all');
    for (let number = 0; number < 2 * mostPaymentsOfReference; number++) {
      accepted(ask('reversal', { original: 'p', amount: 0.1 }), `b${number}`, { amount: 10, original: 'p1' });
      gaveBack(`b${number}`, 10);
    }
    expect(pos.sale.findings).toEqual([]);
    for (let number = 2; number <= mostPaymentsOfReference + 1; number++) paid(pos, `p${number}`, 'all');
    expect(pos.sales.list()).toHaveLength(mostPaymentsOfReference + 1);
    expect(pos.sales.ofPayment('b7')).toMatchObject({
      charged: 8.5,
      attempts: { length: 1 + 2 * mostPaymentsOfReference },
    });
    expect(pos.sales.ofPayment('b7')?.findings).toMatchObject([
      { rule: 'shared-reference', count: mostPaymentsOfReference + 1 },
    ]);
  });
});

describe('a card refund', () => {
  test('is a separate kind of entry, in the sale that has its reference (B510)', () => {
    const { pos, ask, accepted, gaveBack, told } = shop();
    const alone = ask('refund', { reference: 'return-1', amount: 7.5 });
    accepted(alone, 'r1', { amount: 750, reference: 'return-1' });
    gaveBack('r1', 750);
    told(alone, 'r1');
    expect(pos.sale).toMatchObject({
      ...{ kind: 'cardRefund', amount: 7.5, charged: -7.5, outcomeText: 'refunded', callsText: 'refund' },
      attempts: [{ payment: 'r1', kind: 'cardRefund', original: null, told: 'told' }],
    });
    paid(pos, 'p1', 'order-1');
    const joined = ask('refund', { reference: 'order-1', amount: 2.5 });
    accepted(joined, 'r2', { amount: 250, reference: 'order-1' });
    gaveBack('r2', 250);
    expect(pos.sales.ofPayment('r2')).toMatchObject({
      ...{ saleId: 'p1', kind: 'payment', charged: 10, outcomeText: 'approved, 2.50 given back' },
    });
  });
});

describe('money that was given back', () => {
  test('counts as untold if its result was not told (B241, B511)', async () => {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1');
    const asked = ask('reversal', { original: 'p', amount: 5 });
    accepted(asked, 'b1', { amount: 500, original: 'p1' });
    pos.hungUp(asked);
    gaveBack('b1', 500);
    expect(pos.sale).toMatchObject({ told: 'untold', callsText: 'POST, reversal hung up' });
    await pos.clock.advance(61_000);
    expect(pos.sales.untold(pos.clock.now() - 60_000)).toMatchObject([
      { attempt: { payment: 'b1', charged: -5 } },
    ]);
  });

  test('does not count as untold if it was given back because the operator said so (B511)', async () => {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1');
    const { requestId, key } = { ...ask('status'), requestId: 'control-1' };
    pos.journal.add('http.received', { requestId, method: 'POST', path: '/control/terminals/t1/refund' });
    accepted({ requestId, key, method: 'POST', path: '' }, 'b1', { amount: 500, original: 'p1' });
    gaveBack('b1', 500);
    expect(pos.sale).toMatchObject({ told: 'told', callsKnown: true, charged: 7.5 });
    await pos.clock.advance(61_000);
    expect(pos.sales.untold(pos.clock.now() - 60_000)).toEqual([]);
  });
});

describe('a belief about a sale', () => {
  function believed(before: boolean, amount?: number, back = 500) {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1');
    const says = () =>
      pos.journal.add('belief.stated', {
        ...{ saleId: 'p1', believes: 'paid', payment: 'p1' },
        ...(amount !== undefined && { amount }),
      });
    if (before) says();
    accepted(ask('reversal', { original: 'p', amount: back / 100 }), 'b1', { amount: back, original: 'p1' });
    gaveBack('b1', back);
    if (!before) says();
    return pos.sale.findings;
  }

  test('is not wrong only because something is given back later (B512)', () => {
    expect(believed(true, 12.5)).toEqual([]);
    expect(believed(true, undefined, 1250)).toEqual([]);
    expect(believed(true, 20)).toMatchObject([{ rule: 'wrong-belief' }]);
  });

  test('that was wrong from the start is compared with the sum before what is given back later (B512)', () => {
    expect(believed(true, 20)).toMatchObject([
      { what: 'the shop believes that 20 was paid, but the customer was charged EUR 12.5' },
    ]);
  });

  test('is compared with the remaining amount if it is stated later (B512)', () => {
    expect(believed(false, 7.5)).toEqual([]);
    expect(believed(false, 12.5)).toMatchObject([
      { what: expect.stringContaining('after the refunds the customer was charged EUR 7.5') },
    ]);
    expect(believed(false, undefined, 1250)).toMatchObject([
      { what: expect.stringContaining('the whole amount was given back') },
    ]);
  });

  test('stays compared with the remaining amount if a crowd is split (B237, B512)', () => {
    const { pos, ask, accepted, gaveBack } = shop();
    paid(pos, 'p1', 'all');
    accepted(ask('reversal', { original: 'p', amount: 5 }), 'b1', { amount: 500, original: 'p1' });
    gaveBack('b1', 500);
    pos.journal.add('belief.stated', { saleId: 'p1', believes: 'paid', payment: 'p1', amount: 12.5 });
    for (let number = 2; number <= mostPaymentsOfReference + 1; number++) paid(pos, `p${number}`, 'all');
    const rules = [{ rule: 'shared-reference' }, { rule: 'wrong-belief' }];
    expect(pos.sales.ofPayment('p1')?.findings).toMatchObject(rules);
  });

  test('stays compared with the remaining amount if two sales turn out to be one (B512)', () => {
    const { pos, ask, accepted, gaveBack } = shop();
    const asked = pos.asks({ key: 'p1', reference: 'order-1' });
    pos.accepted(asked, 'p1', { key: 'p1', reference: 'order-1' });
    pos.declined('p1');
    paid(pos, 'p2', 'order-2');
    accepted(ask('reversal', { original: 'p', amount: 5 }), 'b1', { amount: 500, original: 'p2' });
    gaveBack('b1', 500);
    pos.journal.add('belief.stated', { saleId: 'p2', believes: 'paid', payment: 'p2', amount: 12.5 });
    const row = {
      accountId: 'shop',
      reference: 'order-1',
      terminal: 'V400m-1',
      currency: 'EUR',
      amount: 1250,
    };
    const ended = { acceptedAt: 1, concludedAt: 2, outcome: 'success', charged: 1250 } as const;
    pos.sales.complete('p1', [{ ...row, ...ended, payment: 'p2' }]);
    expect(pos.sale).toMatchObject({
      charged: 7.5,
      attempts: { length: 3 },
      findings: [{ rule: 'wrong-belief' }],
    });
  });
});

describe('a belief about a debit', () => {
  const money = { amount: 500, currency: 'EUR', why: '' };
  const about = { payment: 'd1' };

  /** A debit of 20, and refunds of 5 each of that debit. */
  function debited() {
    const pos = createSalesHarness();
    const booked = { amount: 2000, currency: 'EUR', pspReference: 'p', rule: '' };
    pos.journal.add('ledger.captured', booked, about);
    pos.journal.add('debit.changed', { ...money, state: 'paid', amount: 2000 }, about);
    const asks = (refund: string) =>
      pos.journal.add('refund.changed', { refund, status: 'processing', ...money }, about);
    const submits = (refund: string) => {
      pos.journal.add('ledger.refunded', { amount: 500, currency: 'EUR', refund }, about);
      pos.journal.add('refund.changed', { refund, status: 'submitted', ...money }, about);
    };
    const fails = (refund: string) => {
      const returned = { amount: 500, currency: 'EUR', refund, reason: 'it failed' };
      pos.journal.add('ledger.returned', returned, about);
      pos.journal.add('refund.changed', { refund, status: 'failed', ...money }, about);
    };
    const says = (amount: number) =>
      pos.journal.add('belief.stated', { saleId: 'd1', believes: 'paid', payment: 'd1', amount });
    return { asks, submits, fails, says, findings: () => pos.sales.get('d1')?.findings };
  }

  test('is not wrong only because the debit is refunded later (B512)', () => {
    const { asks, submits, fails, says, findings } = debited();
    says(20);
    for (const refund of ['f1', 'f2']) {
      asks(refund);
      submits(refund);
    }
    expect(findings()).toEqual([]);
    fails('f1');
    expect(findings()).toEqual([]);
    says(20);
    expect(findings()).toMatchObject([{ what: expect.stringContaining('was charged EUR 15') }]);
  });

  test('is compared with the remaining amount if a refund began before it was stated (B512)', () => {
    const { asks, submits, fails, says, findings } = debited();
    const what = 'the shop believes that 20 was paid, but after the refunds the customer was charged EUR 15';
    asks('f1');
    says(20);
    expect(findings()).toEqual([]);
    submits('f1');
    expect(findings()).toMatchObject([{ what }]);
    says(15);
    asks('f2');
    submits('f2');
    expect(findings()).toEqual([]);
    fails('f1');
    expect(findings()).toEqual([]);
    fails('f2');
    expect(findings()).toMatchObject([{ rule: 'wrong-belief' }]);
  });

  test('that was wrong from the start is compared with the sum before the later refund (B512)', () => {
    const { asks, submits, says, findings } = debited();
    says(30);
    asks('f1');
    submits('f1');
    expect(findings()).toMatchObject([
      { what: 'the shop believes that 30 was paid, but the customer was charged EUR 20' },
    ]);
  });
});
