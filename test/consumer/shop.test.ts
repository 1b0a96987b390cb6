import { expect, test } from 'pinpad/testing/vitest';
import { describe } from 'vitest';

test('a declined card is not paid', async ({ pinpad }) => {
  const sale = await pinpad.pos.pay({ amount: 10 });
  await pinpad.terminal().tap('not-enough-balance');
  await pinpad.expect({ outcome: 'refusal' }, { of: sale });
  expect(sale.answer?.body).toHaveFailedWith('refusal');
  expect(sale.answer?.body).not.toBeApproved();
});

describe('a shop with other needs', () => {
  test.override({ options: { currency: 'JPY', terminals: ['counter', 'bar'] } });

  test('can name its terminal', async ({ pinpad }) => {
    const sale = await pinpad.pos.pay({ amount: 1000, terminal: 'bar' });
    await pinpad.terminal('bar').tap('phone');
    await pinpad.expect({ ledger: [{ kind: 'authorized', amount: 1000, currency: 'JPY' }] }, { of: sale });
    await expect(Promise.resolve(sale.answer?.body)).resolves.toFit({ response: { result: 'success' } });
  });
});
