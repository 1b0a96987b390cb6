import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../../shared/database/temporary-file.fixture.ts';
import { PaymentsHarness, testIds } from '../payments-harness.fixture.ts';
import { makeApproval, type TestTerminal } from '../test-terminal.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const isLate = () => harness.journal('payment.lateResult').map(({ data }) => data);
const deviceOut = { result: 'failure', errorCondition: 'deviceOut' };

describe('a terminal that is not connected', () => {
  test('gets the payment if it connects before the time limit (B63)', async () => {
    harness = await PaymentsHarness.start();
    const paying = harness.pay(25);
    await harness.seen('payment.accepted');
    await harness.clock.advance(149 * second);
    const terminal = await harness.terminal().connect();
    await terminal.pay();
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });

  test('makes the answer 303 at the time limit, and the payment fails as unreachableHost (B62, B63)', async () => {
    harness = await PaymentsHarness.start();
    const paying = harness.pay(25);
    await harness.seen('payment.accepted');
    await harness.clock.advance(150 * second);
    const { status, body } = await paying;
    expect(status).toBe(303);
    expect((await harness.status(body.identifier)).body.response).toMatchObject({
      result: 'failure',
      errorCondition: 'unreachableHost',
    });
    const terminal = await harness.terminal().connect();
    await harness.settle();
    expect(terminal.received).toEqual([]);
  });
});

describe('a terminal that is lost after delivery', () => {
  async function lost(): Promise<{
    terminal: TestTerminal;
    back: TestTerminal;
    paying: ReturnType<PaymentsHarness['pay']>;
  }> {
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(25, { key: 'k' });
    await harness.seen('payment.delivered');
    return { terminal, back: harness.terminal(), paying };
  }

  test('is asked when it is back, and waited for if the payment is in progress (B65)', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, back, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    terminal.link?.close();
    await back.connect();
    const asked = await back.next('TransactionStatusRequest');
    expect(asked.body.MessageReference.ServiceID).toBe(request.header.ServiceID);
    back.answerStatus(asked, 'InProgress');
    await harness.clock.advance(149 * second);
    await back.authorize(request);
    back.approve(request);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });

  test('concludes the payment when it repeats the outcome', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, back, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    terminal.link?.close();
    await back.connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), makeApproval(request.body));
    expect((await paying).body.response).toMatchObject({ result: 'success' });
    expect((await harness.booksAgree()).agree).toBe(true);
  });

  test('gets the payment again under the same ServiceID if it does not know it (B64, B65)', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, back, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    terminal.link?.close();
    await back.connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), 'NotFound');
    const again = await back.next('PaymentRequest');
    expect(again).toEqual(request);
    expect(harness.journal('payment.delivered').map(({ data }) => data.again)).toEqual([false, true]);
    await back.authorize(again);
    back.approve(again);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });

  test('does not get it again after the time limit (B65)', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, back, paying } = await lost();
    terminal.link?.close();
    await harness.seen('payment.lost');
    await harness.clock.advance(150 * second);
    const { identifier } = (await paying).body;
    await back.connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), 'NotFound');
    await harness.seen('payment.concluded');
    expect((await harness.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test.each([
    ['lost at once: 190 s after acceptance', 0, 190 * second],
    ['lost late: 40 s after the loss', 170 * second, 210 * second],
  ])('and %s, is given up (B65)', async (_, lostAt, deadline) => {
    harness = await PaymentsHarness.start();
    const { terminal, paying } = await lost();
    await harness.clock.advance(lostAt);
    terminal.link?.close();
    await harness.seen('payment.lost');
    await harness.clock.advance(deadline - lostAt - 1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    const { identifier } = (await paying).body;
    expect((await harness.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test('and reconnects again and again without answering for its payment, is given up', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, paying } = await lost();
    await harness.clock.advance(170 * second);
    terminal.link?.close();
    await harness.seen('payment.lost');
    for (let round = 0; round < 3; round++) {
      const back = await harness.terminal().connect();
      await back.next('TransactionStatusRequest');
      await harness.clock.advance(10 * second);
      back.link?.close();
      await harness.settle();
    }
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(10 * second);
    const { identifier } = (await paying).body;
    expect((await harness.status(identifier)).body.response).toMatchObject(deviceOut);
    const { why } = await harness.services.explanations.explain(identifier);
    expect(why).toBe('the connection to the terminal was lost, and the terminal sent no answer in time');
  });

  test('is detected by the heartbeat if its end of the connection falls silent', async () => {
    harness = await PaymentsHarness.start();
    const { terminal } = await lost();
    terminal.link?.cut();
    await harness.clock.advance(45 * second);
    expect(harness.journal('payment.lost')).toHaveLength(1);
    expect(harness.journal('link.closed').map(({ data }) => data.code)).toEqual([4003]);
  });

  test('and given up after an approval has it reversed at once, and a late result changes nothing', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, back } = await lost();
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    terminal.link?.close();
    await harness.seen('payment.lost');
    await harness.clock.advance(190 * second);
    const id = request.body.SaleData.SaleTransactionID.TransactionID;
    const { ledger } = await harness.services.explanations.explain(id);
    expect(ledger.map(({ kind }) => kind)).toEqual(['authorized', 'reversed']);
    await back.connect();
    back.approve(request);
    await harness.seen('payment.lateResult');
    expect(isLate()).toMatchObject([{ result: 'success' }]);
    const { warnings } = await harness.services.explanations.explain(id);
    expect(warnings).toEqual(['the payment is already concluded as deviceOut']);
    expect((await harness.status(id)).body.response).toMatchObject(deviceOut);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
    expect(back.closed).toBeUndefined();
  });

  test('and given up is declined if it authorizes only then (B135)', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, back } = await lost();
    const request = await terminal.next('PaymentRequest');
    terminal.link?.close();
    await harness.seen('payment.lost');
    await harness.clock.advance(190 * second);
    await back.connect();
    expect(await back.authorize(request)).toMatchObject({ Approved: false, Message: 'PAYMENT_CLOSED' });
    expect((await harness.booksAgree()).agree).toBe(true);
  });

  test('that sends its result twice gets only an acknowledgement', async () => {
    harness = await PaymentsHarness.start();
    const { terminal, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    terminal.approve(request);
    terminal.approve(request);
    await paying;
    await harness.settle();
    expect(terminal.closed).toBeUndefined();
    expect(isLate()).toEqual([]);
    expect(harness.journal('payment.concluded')).toHaveLength(1);
  });
});

describe('a terminal that stays connected past the time limit', () => {
  async function beyondTheCap() {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(25);
    await terminal.next('PaymentRequest');
    await harness.clock.advance(150 * second);
    const asked = await terminal.next('TransactionStatusRequest');
    return { terminal, asked, id: (await paying).body.identifier };
  }
  const outcome = async (id: string) => (await harness.status(id)).body.response;

  test('and does not answer the question about its payment is given up 40 seconds later (B66)', async () => {
    const { id } = await beyondTheCap();
    await harness.clock.advance(40 * second - 1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    expect(await outcome(id)).toMatchObject(deviceOut);
    const { why } = await harness.services.explanations.explain(id);
    expect(why).toBe('the terminal stayed connected, but did not send an outcome of the payment');
  });

  test('and says that the payment is in progress is waited for, and asked again (B66)', async () => {
    const { terminal, asked, id } = await beyondTheCap();
    terminal.answerStatus(asked, 'InProgress');
    await harness.clock.advance(40 * second);
    terminal.answerStatus(await terminal.next('TransactionStatusRequest'), 'InProgress');
    await harness.clock.advance(39 * second);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(41 * second);
    expect(await outcome(id)).toMatchObject(deviceOut);
  });

  test('and does not know the payment ends it at once (B66)', async () => {
    const { terminal, asked, id } = await beyondTheCap();
    terminal.answerStatus(asked, 'NotFound');
    await harness.seen('payment.concluded');
    expect(await outcome(id)).toMatchObject(deviceOut);
  });
});

describe('a gateway that is started again', () => {
  test('delivers payments that were accepted and not delivered (B64)', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    const paying = harness.pay(25);
    await harness.seen('payment.accepted');
    await harness.stop();
    const { identifier } = (await paying).body;
    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    const terminal = await harness.terminal().connect();
    await terminal.pay();
    await harness.seen('payment.concluded');
    expect((await harness.status(identifier)).body.response).toMatchObject({ result: 'success' });
  });

  test('concludes payments that could not be delivered in time', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    const paying = harness.pay(25);
    await harness.seen('payment.accepted');
    await harness.stop();
    const { identifier } = (await paying).body;
    await harness.clock.advance(150 * second);
    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    await harness.seen('payment.concluded');
    expect((await harness.status(identifier)).body.response).toMatchObject({
      errorCondition: 'unreachableHost',
    });
  });

  test('gives a terminal 40 seconds from its start to return with a delivered payment (B65)', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    await harness.terminal().connect();
    const paying = harness.pay(25);
    await harness.seen('payment.delivered');
    await harness.stop();
    const { identifier } = (await paying).body;
    await harness.clock.advance(1_000 * second);
    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    await harness.clock.advance(40 * second - 1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    expect((await harness.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test('keeps an undelivered abort, and sends it first', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(25, { key: 'k' });
    await harness.seen('payment.delivered');
    terminal.link?.close();
    await harness.seen('payment.lost');
    const aborting = harness.call('POST', '/payment-requests/abort', { body: { idempotencyKey: 'k' } });
    await harness.seen('payment.abortRequested');
    await harness.stop();
    expect((await aborting).status).toBe(503);
    await paying;
    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    const back = await harness.terminal().connect();
    const asked = await back.next('TransactionStatusRequest');
    expect(back.received.map(({ kind }) => kind)).toEqual(['AbortRequest']);
    back.answerStatus(asked, 'NotFound');
    await harness.seen('payment.concluded');
    const latest = await harness.call('GET', '/payment-requests/status?idempotencyKey=k');
    expect(latest.body.response).toMatchObject(deviceOut);
  });

  test('makes new identifiers, even if the seed and the virtual clock start over', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    const first = harness.pay(25);
    await (await harness.terminal().connect()).pay();
    const { identifier } = (await first).body;
    await harness.stop();
    for (let again = 0; again < 2; again++) {
      harness = await PaymentsHarness.start({ file });
      const latest = async () =>
        (await harness.call('GET', `/terminals/${testIds.terminal}/payment-request`)).body;
      const former = (await latest()).identifier;
      const paying = harness.pay(25);
      await (await harness.terminal().connect()).pay();
      const next = (await paying).body.identifier;
      expect(next > former && former >= identifier).toBe(true);
      expect((await latest()).identifier).toBe(next);
      if (again === 0) await harness.stop();
    }
  });

  test('refuses a second payment while the first is open', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    await harness.terminal().connect();
    const paying = harness.pay(25);
    await harness.seen('payment.delivered');
    await harness.stop();
    await paying;
    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    expect((await harness.pay(30)).body.response).toMatchObject({ errorCondition: 'busy' });
  });
});

describe('an answer that cannot be read', () => {
  /** Sends a total that is too large for any message. In a former version, a tip could make the total this large. */
  function sendUnreadable(terminal: TestTerminal, request: Awaited<ReturnType<typeof requested>>): void {
    const answer = makeApproval(request.body);
    const { AmountsResp } = answer.PaymentResult ?? {};
    if (AmountsResp) AmountsResp.AuthorizedAmount = 1e9;
    terminal.send('PaymentResponse', request.header.ServiceID, answer);
  }
  const requested = async (terminal: TestTerminal) => {
    await harness.pay(25, { headers: { prefer: 'respond-async' } });
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    return request;
  };

  test('starts the deadline of its payment with the third refusal, even if the terminal stays connected (B67)', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const request = await requested(terminal);
    for (const lost of [0, 0, 1, 1]) {
      sendUnreadable(terminal, request);
      await harness.settle();
      expect(harness.journal('payment.lost')).toHaveLength(lost);
    }
    expect(terminal.closed).toBeUndefined();
    await harness.clock.advance(190 * second - 1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    expect(harness.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
    expect(harness.journal('ledger.reversed')).toHaveLength(1);
    expect(await harness.booksAgree()).toMatchObject({ agree: true });
    const next = harness.pay(30);
    await terminal.pay();
    expect((await next).body.response).toMatchObject({ result: 'success' });
  });

  test('does not count as lost before the third time, or if the answer is about another payment', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const request = await requested(terminal);
    sendUnreadable(terminal, request);
    sendUnreadable(terminal, request);
    for (let times = 0; times < 5; times++)
      terminal.send('PaymentResponse', 'FORMER', { Response: 7 } as never);
    await harness.settle();
    expect(harness.journal('payment.lost')).toEqual([]);
    terminal.approve(request);
    await harness.seen('payment.concluded');
    expect(harness.journal('payment.concluded')[0]?.data).toMatchObject({ result: 'success' });
  });

  test('is refused even if only its percent-encoding is broken', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const request = await requested(terminal);
    const answer = makeApproval(request.body);
    answer.Response.AdditionalResponse = 'message=%zz';
    for (let times = 0; times < 3; times++)
      terminal.send('PaymentResponse', request.header.ServiceID, answer);
    await harness.seen('payment.lost');
    expect(terminal.closed).toBeUndefined();
  });

  test('is still counted by a gateway that is started again (B67)', async () => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    const terminal = await harness.terminal().connect();
    const request = await requested(terminal);
    sendUnreadable(terminal, request);
    sendUnreadable(terminal, request);
    await harness.settle();
    await harness.stop();
    harness = await PaymentsHarness.start({ file, runtime: harness.runtime });
    const back = await harness.terminal().connect();
    const asked = await back.next('TransactionStatusRequest');
    sendUnreadable(back, request);
    await harness.settle();
    back.answerStatus(asked, 'NotFound');
    await harness.clock.advance(10 * second);
    expect(back.received.map(({ kind }) => kind)).not.toContain('PaymentRequest');
    await harness.clock.advance(190 * second);
    expect(harness.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
  });

  test('also counts if it answers the question about the result of the payment', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const request = await requested(terminal);
    terminal.link?.close();
    await harness.seen('payment.lost');
    const back = await harness.terminal().connect();
    const asked = await back.next('TransactionStatusRequest');
    back.send('TransactionStatusResponse', asked.header.ServiceID, { Response: 7 } as never);
    await harness.clock.advance(190 * second);
    expect(back.closed).toBeUndefined();
    expect(harness.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
    expect(request.header.ServiceID).toBe(asked.body.MessageReference.ServiceID);
  });
});

test('a request that its terminal cannot read is sent three times, and its payment is given up at its deadline', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  terminal.cannotRead = ({ kind }) => kind === 'PaymentRequest';
  const sent = () => terminal.received.filter(({ kind }) => kind === 'PaymentRequest').length;
  await harness.pay(25, { headers: { prefer: 'respond-async' } });
  await harness.settle();
  expect(sent()).toBe(3);
  expect(harness.journal('payment.lost')).toHaveLength(1);
  const [request] = terminal.received;
  const message = `the terminal cannot read PaymentRequest ${request?.header.ServiceID}: PaymentRequest cannot be read`;
  const payment = harness.journal('payment.lost')[0]?.payment;
  const warning = { terminal: 'V400m-1', payment, data: { message } };
  expect(harness.journal('warning')).toMatchObject([warning, warning, warning]);
  terminal.link?.close();
  await harness.settle();
  await terminal.connect();
  terminal.answerStatus(await terminal.next('TransactionStatusRequest'), 'NotFound');
  await harness.settle();
  expect(sent()).toBe(3);
  await harness.clock.advance(190 * second);
  expect(harness.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
  expect(sent()).toBe(3);
  terminal.cannotRead = () => false;
  terminal.received.length = 0;
  const next = harness.pay(30);
  await terminal.pay();
  expect((await next).body.response).toMatchObject({ result: 'success' });
});

test.each<[string, number, (terminal: TestTerminal) => void]>([
  ['a lost link', 1006, ({ link }) => link?.fail(1006, 'lost')],
  ['an acknowledgement that does not come', 4002, ({ link }) => link?.cut()],
  [
    'an internal error of the terminal',
    1011,
    () => {
      throw new Error('disk full');
    },
  ],
])(
  '%s never counts as a refusal: the request is sent again until the terminal has it (B67)',
  async (_, code, fault) => {
    harness = await PaymentsHarness.start();
    const terminal = harness.terminal();
    terminal.fault = ({ kind }) => {
      if (kind === 'PaymentRequest') fault(terminal);
    };
    await terminal.connect();
    const { identifier } = (await harness.pay(25, { headers: { prefer: 'respond-async' } })).body;
    for (const sent of [1, 2, 3, 4, 5]) {
      await harness.clock.advance(10 * second);
      expect(harness.journal('payment.delivered')).toHaveLength(sent);
      expect(harness.journal('link.closed').map(({ data }) => data.code)).toEqual(Array(sent).fill(code));
      await terminal.connect();
      if (sent === 5) terminal.fault = () => {};
      terminal.answerStatus(await terminal.next('TransactionStatusRequest'), 'NotFound');
    }
    await terminal.pay();
    await harness.seen('payment.concluded');
    expect((await harness.status(identifier)).body.response).toMatchObject({ result: 'success' });
    const warned = harness.journal('warning').map(({ data }) => data.message);
    expect(warned.filter((message) => message.includes('cannot read'))).toEqual([]);
  },
);

test('two days without a payment pass without any timer', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const paying = harness.pay(25);
  await terminal.pay();
  await paying;
  await harness.clock.advance(15 * second);
  expect(harness.clock.nextDue()).toBeUndefined();
});
