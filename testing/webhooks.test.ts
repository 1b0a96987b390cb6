import { describe, expect as plainExpect } from 'vitest';
import { expect, test } from './vitest.ts';

describe('with a webhook', () => {
  test.override({ options: { webhooks: ['pos'], patience: 0 } });

  test('what comes is waited for, by type and parts, in its order', async ({ pinpad }) => {
    const order = await pinpad.pos.chargeCard('charge', saved(30));
    await pinpad.expect({
      webhooks: [{ type: 'payments.debits.completed', signature: 'right', answer: 204 }],
    });
    await pinpad.pos.refund(order, { amount: 10, reason: 'customer_request' });
    await pinpad.expect({ webhooks: ['payments.refunds.created', 'payments.refunds.submitted'] });
    await plainExpect(
      pinpad.expect({ webhooks: ['payments.refunds.submitted', 'payments.refunds.created'] }),
    ).rejects.toThrow(/no webhook like .*refunds\.created.* came after payments\.refunds\.submitted/);
    expect(pinpad.webhooks.arrivals.map(({ type }) => type)).toHaveLength(3);
  });

  test('a webhook that is different says in what', async ({ pinpad }) => {
    await pinpad.pos.chargeCard('charge', saved(30));
    await plainExpect(
      pinpad.expect({ webhooks: [{ type: 'payments.debits.completed', data: { amount: '31.00' } }] }),
    ).rejects.toThrow(/payments\.debits\.completed\.data\.amount: expected "31\.00", was "30\.00"/);
    await plainExpect(pinpad.expect({ webhooks: 'none' })).rejects.toThrow(
      /1 webhooks came\nsaw the webhooks/,
    );
  });

  test('a receiver fails, hangs up, is slow, and knows another secret', async ({ pinpad }) => {
    const pos = pinpad.webhooks.get('pos');
    pos.fails(1, 503);
    await pinpad.pos.chargeCard('charge', saved(1));
    await pinpad.expect({ webhooks: [{ answer: 503 }] });
    pos.hangsUp();
    await pinpad.expect({ webhooks: [{ attempt: 2, answer: { absent: true } }] }, { within: '6 s' });
    pos.isSlow(10_000);
    await pinpad.expect({ webhooks: [{ attempt: 3, answer: 204 }] }, { within: '6 min' });
    await pinpad.webhooks.rotateSecret();
    await pinpad.clock.pass('25 h');
    await pinpad.pos.chargeCard('charge', saved(2));
    await pinpad.expect({ webhooks: [{ signature: 'wrong', answer: 401 }] });
    await pinpad.webhooks.takeSecret();
    await pinpad.expect({ webhooks: [{ attempt: 2, signature: 'right' }] }, { within: '6 s' });
  });

  test('an event comes twice, the next one is lost, and a forged one follows (B290)', async ({ pinpad }) => {
    await pinpad.world.eventFault({ fault: 'duplicateEvent' });
    await pinpad.world.eventFault({ fault: 'loseEvent' }, { webhook: 'pos' });
    await pinpad.world.eventFault({ fault: 'forgeEvent' }, { times: 'always' });
    await pinpad.pos.chargeCard('charge', saved(1));
    await pinpad.expect({ webhooks: [{ attempt: 1 }, { attempt: 2 }] });
    await pinpad.pos.chargeCard('charge', saved(2));
    await pinpad.expect(
      {
        webhooks: [
          { data: { amount: '2.00' }, answer: 204 },
          { data: { amount: '92.00' }, signature: 'wrong', answer: 401 },
        ],
      },
      { within: '6 s' },
    );
    await pinpad.world.clearFaults();
    plainExpect(await pinpad.control('GET', '/faults')).toEqual([]);
  });

  test('a receiver that is gone gets nothing more', async ({ pinpad }) => {
    pinpad.webhooks.get().gone();
    await pinpad.pos.chargeCard('charge', saved(1));
    await pinpad.expect({ webhooks: [{ answer: 410 }] });
    await pinpad.pos.chargeCard('charge', saved(2));
    await pinpad.clock.pass('1 h');
    await pinpad.expect({ webhooks: { length: 1 } });
  });
});

test('a webhook can be opened at any time, for some types', async ({ pinpad }) => {
  await pinpad.pos.chargeCard('charge', saved(1));
  await pinpad.webhooks.open({ name: 'books', types: ['payments.refunds.created'] });
  const order = await pinpad.pos.chargeCard('charge', saved(2));
  await pinpad.pos.refund(order, { amount: 2, reason: 'customer_request' });
  await pinpad.expect({ webhooks: [{ webhook: 'books', type: 'payments.refunds.created' }] });
  expect(pinpad.webhooks.arrivals).toHaveLength(1);
  plainExpect(() => pinpad.webhooks.get('pos')).toThrow('unknown webhook pos; known webhooks: books');
});

function saved(amount: number) {
  const body = { amount, to_bank_account_id: 'shop-account', statement: 'ORDER 1001' };
  return { contact: 'customer', card: 'saved-visa', body };
}

test('a customer opens a link, and what the page says can be expected', async ({ pinpad }) => {
  const body = { amount: 25.5, contact_id: 'customer', from_bank_account: 'shop-account', statement: 'BACK' };
  const credit = await pinpad.pos.credit(body);
  await plainExpect(pinpad.customer.accept()).rejects.toThrow('the customer has not opened a link');
  const { link = '' } = (credit.answer?.body ?? {}) as { link?: string };
  await pinpad.customer.open(link);
  await plainExpect(pinpad.customer.accept()).rejects.toThrow(
    /the page does not have a payment to accept; it shows: Corner Shop sends you/,
  );
  await pinpad.customer.answer('At the market');
  await pinpad.customer.bankDetails({ routing: '021000021', account: '123456789' });
  await pinpad.customer.accept();
  await pinpad.expect({ page: { status: 200, text: { contains: 'on its way' } }, books: { agree: true } });
});
