import type { FakeSource } from './fake-source.fixture.ts';

const path = '/terminals/019b7a5e-7c00-7000-8000-000000000000/payment-request';

/**
 * Adds to the journal a payment whose answer does not arrive. After that, the point of sale sends two status requests.
 */
export async function addLostAnswerEntries({ journal, clock }: FakeSource): Promise<void> {
  const about = { terminal: 'V400m-347312391', payment: '019b7a5e-7c00-7000-8000-0000000000bb' };
  const named = { method: 'POST', path, requestId: 'post', accountId: 'shop' };
  const body = {
    paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
    saleData: { saleReferenceId: 'sale-9XYZ' },
  };
  journal.add('http.received', { ...named, headers: { 'idempotency-key': 'k-9' }, body });
  const names = { idempotencyKey: 'k-9', saleReferenceId: 'sale-9XYZ', accountId: 'shop' };
  journal.add('payment.accepted', { amount: 1_250, currency: 'EUR', requestId: 'post', ...names }, about);
  await clock.advance(4_000);
  const booked = {
    amount: 1_250,
    currency: 'EUR',
    pspReference: 'p',
    rule: 'default: no rule declines the payment',
  };
  journal.add('ledger.authorized', booked, about);
  journal.add('payment.concluded', { result: 'success', why: 'the terminal answers approved' }, about);
  journal.add('fault.injected', { fault: 'dropAnswer', method: 'POST', path, requestId: 'post' });
  for (const requestId of ['s1', 's2']) {
    await clock.advance(2_000);
    const status = { method: 'GET', path: '/payment-requests/status?idempotencyKey=k-9', requestId };
    journal.add('http.received', { ...status, accountId: 'shop' });
    const answer = {
      identifier: about.payment,
      response: {
        result: 'success',
        additionalResponse: { posAuthAmountCurrency: 'EUR', posAuthAmountValue: '1250' },
      },
    };
    journal.add('http.answered', { ...status, status: 200, durationMs: 3, whole: true, body: answer });
  }
}
