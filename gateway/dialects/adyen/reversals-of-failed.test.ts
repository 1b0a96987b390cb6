import { afterEach, describe, expect, test } from 'vitest';
import { hour, PaymentsHarness } from '../../payments/payments-harness.fixture.ts';
import { makeApproval, type TestTerminal } from '../../payments/test-terminal.fixture.ts';
import { makeApprovedPayment, readResponseMessage, readReversalResponse, Till } from './till.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

async function start() {
  harness = await PaymentsHarness.start({ adyen: true });
  return {
    till: new Till(harness),
    terminal: await harness.terminal().connect(),
    otherTill: new Till(harness, harness.token, 'V400m-2'),
  };
}

type Request = Awaited<ReturnType<typeof nextOf>>;
const nextOf = (terminal: TestTerminal) => terminal.next('PaymentRequest');

/**
 * Makes the terminal end a payment as failed. `TransactionID` is the reference that the terminal gives to the
 * transaction.
 */
function refuseAs(terminal: TestTerminal, { header, body }: Request, TransactionID: string) {
  const { SaleData } = makeApproval(body);
  terminal.send('PaymentResponse', header.ServiceID, {
    Response: { Result: 'Failure', ErrorCondition: 'Cancel' },
    SaleData,
    POIData: { POITransactionID: { TransactionID, TimeStamp: '2026-01-01T00:00:00.000Z' } },
  });
}

/** Makes a payment that the terminal ends as failed. `name` is the reference in the terminal's answer. */
async function failed(till: Till, terminal: TestTerminal, ServiceID: string, name: string) {
  const reply = till.pay(ServiceID, 25);
  refuseAs(terminal, await nextOf(terminal), name);
  return toldName(await reply);
}

const responseIn = ({ body }: { body: { SaleToPOIResponse: Record<string, unknown> } }) =>
  body.SaleToPOIResponse.PaymentResponse as {
    Response: { Result: string; ErrorCondition: string };
    POIData: { POITransactionID: { TransactionID: string } };
  };
type Reply = Awaited<ReturnType<Till['pay']>>;
function toldName(reply: Reply): string {
  const { Response, POIData } = responseIn(reply);
  expect(Response.Result).toBe('Failure');
  return POIData.POITransactionID.TransactionID;
}

const itFailed = ['NotAllowed', 'The payment failed: nothing was charged'];
const isUnknown = ['NotFound', 'The payment to reverse does not exist'];
async function answerTo(reply: ReturnType<Till['reverse']>) {
  const refused = readReversalResponse(await reply);
  return [refused.Response.ErrorCondition, readResponseMessage(refused)];
}

describe('a failed payment is found by the name in its answer, and is refused with its own reason (B491)', () => {
  const ways: Record<string, (at: Awaited<ReturnType<typeof start>>) => Promise<Reply>> = {
    'the terminal ended it before it asked the host': async ({ till, terminal }) => {
      const reply = till.pay('1', 25);
      terminal.refuse(await nextOf(terminal), 'Cancel');
      return reply;
    },
    'the till aborted it': async ({ till, terminal }) => {
      const reply = till.pay('1', 25);
      const request = await nextOf(terminal);
      await till.abort('1');
      await terminal.next('AbortRequest');
      terminal.refuse(request, 'Aborted');
      return reply;
    },
    'its terminal was busy': async ({ till, terminal }) => {
      const first = till.pay('0', 5);
      const request = await nextOf(terminal);
      const reply = await till.pay('1', 25);
      expect(responseIn(reply).Response.ErrorCondition).toBe('Busy');
      terminal.refuse(request, 'Cancel');
      await first;
      return reply;
    },
    'its terminal said that it succeeded, and the host had been asked for nothing': async (at) => {
      const reply = at.till.pay('1', 25);
      at.terminal.approve(await nextOf(at.terminal));
      return reply;
    },
    'the host had given the money, and took it back': async ({ till, terminal }) => {
      const reply = till.pay('1', 25);
      const request = await nextOf(terminal);
      await terminal.authorize(request);
      terminal.refuse(request, 'Cancel');
      return reply;
    },
  };

  test.each(Object.entries(ways))('%s', async (_, fail) => {
    const at = await start();
    const other = await harness.terminal('V400m-2').connect();
    const name = toldName(await fail(at));
    expect(name).not.toBe('');
    for (const [number, till] of [at.till, at.otherTill].entries()) {
      expect(await answerTo(till.reverse(`2${number}`, name))).toEqual(itFailed);
      const more = { amount: 5, at: '2026-07-07T07:07:07.000Z' };
      expect(await answerTo(till.reverse(`3${number}`, name, more))).toEqual(itFailed);
    }
    expect([...at.terminal.received, ...other.received]).toEqual([]);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
  });

  test('a payment whose terminal was lost', async () => {
    const { till, terminal } = await start();
    const reply = till.pay('1', 25);
    await nextOf(terminal);
    await harness.settle();
    await harness.clock.advance(hour);
    await reply;
    const { body } = await till.status('1');
    const { RepeatedResponseMessageBody: repeated } =
      body.SaleToPOIResponse.TransactionStatusResponse.RepeatedMessageResponse;
    const name = toldName({ body: { SaleToPOIResponse: repeated } } as Reply);
    expect(await answerTo(till.reverse('2', name))).toEqual(itFailed);
  });

  test('a failed reversal or refund is not found as a payment', async () => {
    const { till, terminal } = await start();
    const reply = till.reverse('2', await makeApprovedPayment(till, terminal));
    terminal.answerReversal(await terminal.next('ReversalRequest'), 'Refusal');
    const { POIData } = readReversalResponse(await reply) as unknown as ReturnType<typeof responseIn>;
    const isNone = ['NotAllowed', expect.stringMatching(/^This is a reversal or refund/)];
    expect(await answerTo(till.reverse('3', POIData.POITransactionID.TransactionID))).toEqual(isNone);
    const refund = till.pay('4', 25, { payment: { PaymentData: { PaymentType: 'Refund' } } });
    refuseAs(terminal, await nextOf(terminal), 'V4000001');
    expect(await answerTo(till.reverse('5', toldName(await refund)))).toEqual(isNone);
  });
});

describe('nothing else is found by such a name (B491)', () => {
  test('a name that is only similar to the name of a failed payment', async () => {
    const { till, terminal } = await start();
    await failed(till, terminal, '1', 'V4_0%0.X');
    const others = ['V4_0%0', 'V4_0%0.', 'V4_0%0.Y', 'V4_0%0.X ', 'v4_0%0.x', 'V410000.X', 'V4_0%', 'X', '%'];
    for (const [number, name] of others.entries())
      expect(await answerTo(till.reverse(`2${number}`, name)), name).toEqual(isUnknown);
    expect(await answerTo(till.reverse('3', 'V4_0%0.X'))).toEqual(itFailed);
  });

  test('a payment of another account or environment', async () => {
    const { till, terminal } = await start();
    const name = await failed(till, terminal, '1', 'V4000001');
    await harness.tamper((db) => db.updateTable('payments').set({ environment: 'production' }).execute());
    expect(await answerTo(till.reverse('2', name))).toEqual(isUnknown);
    await harness.services.accounts.createAccount({ id: 'b', name: 'B', currency: 'EUR', merchantId: 'B' });
    await harness.tamper((db) =>
      db.updateTable('payments').set({ environment: 'sandbox', account_id: 'b' }).execute(),
    );
    expect(await answerTo(till.reverse('3', name))).toEqual(isUnknown);
    await failed(till, terminal, '4', name);
    expect(await answerTo(till.reverse('5', name))).toEqual(itFailed);
  });

  test('an answer without a payment: it had the ServiceID in the place of a name, or there was no answer', async () => {
    const { till, terminal, otherTill } = await start();
    const tooMuch = await till.pay('1', 99_999_999);
    expect(await answerTo(till.reverse('2', toldName(tooMuch)))).toEqual(isUnknown);
    const { text } = await otherTill.pay('3', 25);
    expect(text).toContain('Terminal+is+not+reachable');
    const names = await harness.services.store.read((db) =>
      db.selectFrom('payments').select('service_id').execute(),
    );
    expect(names).toHaveLength(1);
    expect(await answerTo(till.reverse('4', names[0]?.service_id ?? ''))).toEqual(isUnknown);
    expect(terminal.received).toEqual([]);
  });

  test('a success is given back, even if a failed payment has a similar name', async () => {
    const { till, terminal } = await start();
    await failed(till, terminal, '1', 'V4000001');
    const reply = till.pay('2', 25);
    const request = await nextOf(terminal);
    const { PspReference } = await terminal.authorize(request);
    const answer = makeApproval(request.body);
    const POITransactionID = { TransactionID: `V4000001.${PspReference}`, TimeStamp: '2026-01-01T00:00:00Z' };
    const POIData = { ...answer.POIData, POITransactionID };
    terminal.send('PaymentResponse', request.header.ServiceID, { ...answer, POIData });
    await reply;
    await failed(till, terminal, '3', PspReference);
    await failed(till, terminal, '4', `V4000001.${PspReference}`);
    expect(await answerTo(till.reverse('5', 'V4000001'))).toEqual(itFailed);
    for (const [number, name] of [PspReference, POITransactionID.TransactionID].entries()) {
      const given = till.reverse(`6${number}`, name, { amount: 10 });
      await terminal.giveBack();
      expect(readReversalResponse(await given).Response.Result).toBe('Success');
    }
    expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
  });

  test.each([
    ['256 letters', 'V'.repeat(256)],
    ['5000 letters', 'V'.repeat(5000)],
    ['a null character', 'V4\u0000'],
    ['half a character', 'V4\ud800'],
    ['an accent', 'V4é'],
    ['a line break', 'V4\n'],
  ])('a payment whose name no terminal gives, %s, ends as before', async (_, name) => {
    const { till, terminal } = await start();
    const reply = till.pay('1', 25);
    refuseAs(terminal, await nextOf(terminal), name);
    expect(responseIn(await reply).Response.ErrorCondition).toBe('Cancel');
    const [result] = await harness.services.store.read((db) =>
      db.selectFrom('payment_results').select('failed_reference').execute(),
    );
    expect(result).toEqual({ failed_reference: null });
    const { Response } = readReversalResponse(await till.reverse('2', name));
    expect(['NotFound', 'MessageFormat']).toContain(Response.ErrorCondition);
    expect(await answerTo(till.reverse('3', 'V4'))).toEqual(isUnknown);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0, concluded: 1 });
  });
});
