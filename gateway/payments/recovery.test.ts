import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import { ids, TestBed } from './test-bed.fixture.ts';
import { approval, type TestTerminal } from './test-terminal.fixture.ts';

let bed: TestBed;
afterEach(() => bed.stop());

const second = 1_000;
const isLate = () => bed.journal('payment.lateResult').map(({ data }) => data);
const deviceOut = { result: 'failure', errorCondition: 'deviceOut' };

describe('a terminal that is not there', () => {
  test('gets the payment when it comes before the cap', async () => {
    bed = await TestBed.start();
    const paying = bed.pay(25);
    await bed.seen('payment.accepted');
    await bed.clock.advance(149 * second);
    const terminal = await bed.terminal().connect();
    await terminal.pay();
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });

  test('makes it a 303 at the cap, and the payment fails as unreachableHost', async () => {
    bed = await TestBed.start();
    const paying = bed.pay(25);
    await bed.seen('payment.accepted');
    await bed.clock.advance(150 * second);
    const { status, body } = await paying;
    expect(status).toBe(303);
    expect((await bed.status(body.identifier)).body.response).toMatchObject({
      result: 'failure',
      errorCondition: 'unreachableHost',
    });
    const terminal = await bed.terminal().connect();
    await bed.settle();
    expect(terminal.received).toEqual([]);
  });
});

describe('a terminal that is lost after delivery', () => {
  async function lost(): Promise<{
    terminal: TestTerminal;
    back: TestTerminal;
    paying: ReturnType<TestBed['pay']>;
  }> {
    const terminal = await bed.terminal().connect();
    const paying = bed.pay(25, { key: 'k' });
    await bed.seen('payment.delivered');
    return { terminal, back: bed.terminal(), paying };
  }

  test('is asked when it is back; in progress is waited for', async () => {
    bed = await TestBed.start();
    const { terminal, back, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    terminal.link?.close();
    await back.connect();
    const asked = await back.next('TransactionStatusRequest');
    expect(asked.body.MessageReference.ServiceID).toBe(request.header.ServiceID);
    back.answerStatus(asked, 'InProgress');
    await bed.clock.advance(149 * second);
    await back.authorize(request);
    back.approve(request);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });

  test('is believed when it repeats the outcome', async () => {
    bed = await TestBed.start();
    const { terminal, back, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    terminal.link?.close();
    await back.connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), approval(request.body));
    expect((await paying).body.response).toMatchObject({ result: 'success' });
    expect((await bed.booksAgree()).agree).toBe(true);
  });

  test('gets the payment again, by the same ServiceID, where it does not know it', async () => {
    bed = await TestBed.start();
    const { terminal, back, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    terminal.link?.close();
    await back.connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), 'NotFound');
    const again = await back.next('PaymentRequest');
    expect(again).toEqual(request);
    expect(bed.journal('payment.delivered').map(({ data }) => data.again)).toEqual([false, true]);
    await back.authorize(again);
    back.approve(again);
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });

  test('does not get it again after the cap', async () => {
    bed = await TestBed.start();
    const { terminal, back, paying } = await lost();
    terminal.link?.close();
    await bed.seen('payment.lost');
    await bed.clock.advance(150 * second);
    const { identifier } = (await paying).body;
    await back.connect();
    back.answerStatus(await back.next('TransactionStatusRequest'), 'NotFound');
    await bed.seen('payment.concluded');
    expect((await bed.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test.each([
    ['lost at once: 190 s after acceptance', 0, 190 * second],
    ['lost late: 40 s after the loss', 170 * second, 210 * second],
  ])('and %s, is given up', async (_, lostAt, deadline) => {
    bed = await TestBed.start();
    const { terminal, paying } = await lost();
    await bed.clock.advance(lostAt);
    terminal.link?.close();
    await bed.seen('payment.lost');
    await bed.clock.advance(deadline - lostAt - 1);
    expect(bed.journal('payment.concluded')).toEqual([]);
    await bed.clock.advance(1);
    const { identifier } = (await paying).body;
    expect((await bed.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test('and comes and goes without ever answering for its payment, is given up all the same', async () => {
    bed = await TestBed.start();
    const { terminal, paying } = await lost();
    await bed.clock.advance(170 * second);
    terminal.link?.close();
    await bed.seen('payment.lost');
    for (let round = 0; round < 3; round++) {
      const back = await bed.terminal().connect();
      await back.next('TransactionStatusRequest');
      await bed.clock.advance(10 * second);
      back.link?.close();
      await bed.settle();
    }
    expect(bed.journal('payment.concluded')).toEqual([]);
    await bed.clock.advance(10 * second);
    const { identifier } = (await paying).body;
    expect((await bed.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test('is noticed by the heartbeat where its end of the wire falls silent', async () => {
    bed = await TestBed.start();
    const { terminal } = await lost();
    terminal.link?.cut();
    await bed.clock.advance(45 * second);
    expect(bed.journal('payment.lost')).toHaveLength(1);
    expect(bed.journal('link.closed').map(({ data }) => data.code)).toEqual([4003]);
  });

  test('and given up had approved: the authorization is reversed in the same moment, a late result changes nothing', async () => {
    bed = await TestBed.start();
    const { terminal, back } = await lost();
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    terminal.link?.close();
    await bed.seen('payment.lost');
    await bed.clock.advance(190 * second);
    const id = request.body.SaleData.SaleTransactionID.TransactionID;
    const { ledger } = await bed.payments.explanations.explain(id);
    expect(ledger.map(({ kind }) => kind)).toEqual(['authorized', 'reversed']);
    await back.connect();
    back.approve(request);
    await bed.seen('payment.lateResult');
    expect(isLate()).toMatchObject([{ result: 'success' }]);
    expect((await bed.status(id)).body.response).toMatchObject(deviceOut);
    expect(await bed.booksAgree()).toMatchObject({ agree: true, concluded: 1 });
    expect(back.closed).toBeUndefined();
  });

  test('and given up authorizes only then: it is declined', async () => {
    bed = await TestBed.start();
    const { terminal, back } = await lost();
    const request = await terminal.next('PaymentRequest');
    terminal.link?.close();
    await bed.seen('payment.lost');
    await bed.clock.advance(190 * second);
    await back.connect();
    expect(await back.authorize(request)).toMatchObject({ Approved: false, Message: 'PAYMENT_CLOSED' });
    expect((await bed.booksAgree()).agree).toBe(true);
  });

  test('sending its result twice is told nothing but that it arrived', async () => {
    bed = await TestBed.start();
    const { terminal, paying } = await lost();
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    terminal.approve(request);
    terminal.approve(request);
    await paying;
    await bed.settle();
    expect(terminal.closed).toBeUndefined();
    expect(isLate()).toEqual([]);
    expect(bed.journal('payment.concluded')).toHaveLength(1);
  });
});

describe('a terminal that stays connected past the cap', () => {
  async function beyondTheCap() {
    bed = await TestBed.start();
    const terminal = await bed.terminal().connect();
    const paying = bed.pay(25);
    await terminal.next('PaymentRequest');
    await bed.clock.advance(150 * second);
    const asked = await terminal.next('TransactionStatusRequest');
    return { terminal, asked, id: (await paying).body.identifier };
  }
  const outcome = async (id: string) => (await bed.status(id)).body.response;

  test('and does not answer for its payment is given up 40 seconds later', async () => {
    const { id } = await beyondTheCap();
    await bed.clock.advance(40 * second - 1);
    expect(bed.journal('payment.concluded')).toEqual([]);
    await bed.clock.advance(1);
    expect(await outcome(id)).toMatchObject(deviceOut);
  });

  test('and says that the payment goes on is waited for, and asked again', async () => {
    const { terminal, asked, id } = await beyondTheCap();
    terminal.answerStatus(asked, 'InProgress');
    await bed.clock.advance(40 * second);
    terminal.answerStatus(await terminal.next('TransactionStatusRequest'), 'InProgress');
    await bed.clock.advance(39 * second);
    expect(bed.journal('payment.concluded')).toEqual([]);
    await bed.clock.advance(41 * second);
    expect(await outcome(id)).toMatchObject(deviceOut);
  });

  test('and does not know the payment ends it at once', async () => {
    const { terminal, asked, id } = await beyondTheCap();
    terminal.answerStatus(asked, 'NotFound');
    await bed.seen('payment.concluded');
    expect(await outcome(id)).toMatchObject(deviceOut);
  });
});

describe('a gateway that is started again', () => {
  test('delivers what was accepted and not delivered', async () => {
    const file = temporaryDatabaseFile();
    bed = await TestBed.start({ file });
    const paying = bed.pay(25);
    await bed.seen('payment.accepted');
    await bed.stop();
    const { identifier } = (await paying).body;
    bed = await TestBed.start({ file, runtime: bed.runtime });
    const terminal = await bed.terminal().connect();
    await terminal.pay();
    await bed.seen('payment.concluded');
    expect((await bed.status(identifier)).body.response).toMatchObject({ result: 'success' });
  });

  test('concludes what could not be delivered in time', async () => {
    const file = temporaryDatabaseFile();
    bed = await TestBed.start({ file });
    const paying = bed.pay(25);
    await bed.seen('payment.accepted');
    await bed.stop();
    const { identifier } = (await paying).body;
    await bed.clock.advance(150 * second);
    bed = await TestBed.start({ file, runtime: bed.runtime });
    await bed.seen('payment.concluded');
    expect((await bed.status(identifier)).body.response).toMatchObject({ errorCondition: 'unreachableHost' });
  });

  test('gives a terminal 40 seconds from its start to come back with what was delivered', async () => {
    const file = temporaryDatabaseFile();
    bed = await TestBed.start({ file });
    await bed.terminal().connect();
    const paying = bed.pay(25);
    await bed.seen('payment.delivered');
    await bed.stop();
    const { identifier } = (await paying).body;
    await bed.clock.advance(1_000 * second);
    bed = await TestBed.start({ file, runtime: bed.runtime });
    await bed.clock.advance(40 * second - 1);
    expect(bed.journal('payment.concluded')).toEqual([]);
    await bed.clock.advance(1);
    expect((await bed.status(identifier)).body.response).toMatchObject(deviceOut);
  });

  test('keeps an abort that nobody heard, and sends it first', async () => {
    const file = temporaryDatabaseFile();
    bed = await TestBed.start({ file });
    const terminal = await bed.terminal().connect();
    const paying = bed.pay(25, { key: 'k' });
    await bed.seen('payment.delivered');
    terminal.link?.close();
    await bed.seen('payment.lost');
    const aborting = bed.call('POST', '/payment-requests/abort', { body: { idempotencyKey: 'k' } });
    await bed.seen('payment.abortRequested');
    await bed.stop();
    expect((await aborting).status).toBe(503);
    await paying;
    bed = await TestBed.start({ file, runtime: bed.runtime });
    const back = await bed.terminal().connect();
    const asked = await back.next('TransactionStatusRequest');
    expect(back.received.map(({ kind }) => kind)).toEqual(['AbortRequest']);
    back.answerStatus(asked, 'NotFound');
    await bed.seen('payment.concluded');
    const latest = await bed.call('GET', '/payment-requests/status?idempotencyKey=k');
    expect(latest.body.response).toMatchObject(deviceOut);
  });

  test('makes new identifiers, also where seed and virtual clock start over', async () => {
    const file = temporaryDatabaseFile();
    bed = await TestBed.start({ file });
    const first = bed.pay(25);
    await (await bed.terminal().connect()).pay();
    const { identifier } = (await first).body;
    await bed.stop();
    for (let again = 0; again < 2; again++) {
      bed = await TestBed.start({ file });
      const latest = async () => (await bed.call('GET', `/terminals/${ids.terminal}/payment-request`)).body;
      const former = (await latest()).identifier;
      const paying = bed.pay(25);
      await (await bed.terminal().connect()).pay();
      const next = (await paying).body.identifier;
      expect(next > former && former >= identifier).toBe(true);
      expect((await latest()).identifier).toBe(next);
      if (again === 0) await bed.stop();
    }
  });

  test('refuses a second payment while the first is open', async () => {
    const file = temporaryDatabaseFile();
    bed = await TestBed.start({ file });
    await bed.terminal().connect();
    const paying = bed.pay(25);
    await bed.seen('payment.delivered');
    await bed.stop();
    await paying;
    bed = await TestBed.start({ file, runtime: bed.runtime });
    expect((await bed.pay(30)).body.response).toMatchObject({ errorCondition: 'busy' });
  });
});

describe('an answer that cannot be read', () => {
  /** A total that no message can carry, as a tip of a former version could make it. */
  function sendUnreadable(terminal: TestTerminal, request: Awaited<ReturnType<typeof requested>>): void {
    const answer = approval(request.body);
    const { AmountsResp } = answer.PaymentResult ?? {};
    if (AmountsResp) AmountsResp.AuthorizedAmount = 1e9;
    terminal.send('PaymentResponse', request.header.ServiceID, answer);
  }
  const requested = async (terminal: TestTerminal) => {
    await bed.pay(25, { headers: { prefer: 'respond-async' } });
    const request = await terminal.next('PaymentRequest');
    await terminal.authorize(request);
    return request;
  };

  test('starts the deadline of its payment with the third refusal, while the terminal stays connected', async () => {
    bed = await TestBed.start();
    const terminal = await bed.terminal().connect();
    const request = await requested(terminal);
    for (const lost of [0, 0, 1, 1]) {
      sendUnreadable(terminal, request);
      await bed.settle();
      expect(bed.journal('payment.lost')).toHaveLength(lost);
    }
    expect(terminal.closed).toBeUndefined();
    await bed.clock.advance(190 * second - 1);
    expect(bed.journal('payment.concluded')).toEqual([]);
    await bed.clock.advance(1);
    expect(bed.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
    expect(bed.journal('ledger.reversed')).toHaveLength(1);
    expect(await bed.booksAgree()).toMatchObject({ agree: true });
    const next = bed.pay(30);
    await terminal.pay();
    expect((await next).body.response).toMatchObject({ result: 'success' });
  });

  test('does not count as lost before the third, nor where the answer is of another payment', async () => {
    bed = await TestBed.start();
    const terminal = await bed.terminal().connect();
    const request = await requested(terminal);
    sendUnreadable(terminal, request);
    sendUnreadable(terminal, request);
    for (let times = 0; times < 5; times++)
      terminal.send('PaymentResponse', 'FORMER', { Response: 7 } as never);
    await bed.settle();
    expect(bed.journal('payment.lost')).toEqual([]);
    terminal.approve(request);
    await bed.seen('payment.concluded');
    expect(bed.journal('payment.concluded')[0]?.data).toMatchObject({ result: 'success' });
  });

  test('nor one whose percent-encoding is broken: it is refused as well', async () => {
    bed = await TestBed.start();
    const terminal = await bed.terminal().connect();
    const request = await requested(terminal);
    const answer = approval(request.body);
    answer.Response.AdditionalResponse = 'message=%zz';
    for (let times = 0; times < 3; times++)
      terminal.send('PaymentResponse', request.header.ServiceID, answer);
    await bed.seen('payment.lost');
    expect(terminal.closed).toBeUndefined();
  });

  test('to the question what became of the payment counts too', async () => {
    bed = await TestBed.start();
    const terminal = await bed.terminal().connect();
    const request = await requested(terminal);
    terminal.link?.close();
    await bed.seen('payment.lost');
    const back = await bed.terminal().connect();
    const asked = await back.next('TransactionStatusRequest');
    back.send('TransactionStatusResponse', asked.header.ServiceID, { Response: 7 } as never);
    await bed.clock.advance(190 * second);
    expect(back.closed).toBeUndefined();
    expect(bed.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
    expect(request.header.ServiceID).toBe(asked.body.MessageReference.ServiceID);
  });
});

test('a payment whose request its terminal cannot read is sent three times, and given up at its deadline', async () => {
  bed = await TestBed.start();
  const terminal = await bed.terminal().connect();
  terminal.cannotRead = ({ kind }) => kind === 'PaymentRequest';
  const sent = () => terminal.received.filter(({ kind }) => kind === 'PaymentRequest').length;
  await bed.pay(25, { headers: { prefer: 'respond-async' } });
  await bed.settle();
  expect(sent()).toBe(3);
  expect(bed.journal('payment.lost')).toHaveLength(1);
  terminal.link?.close();
  await bed.settle();
  await terminal.connect();
  terminal.answerStatus(await terminal.next('TransactionStatusRequest'), 'NotFound');
  await bed.settle();
  expect(sent()).toBe(3);
  await bed.clock.advance(190 * second);
  expect(bed.journal('payment.concluded').map(({ data }) => data)).toMatchObject([deviceOut]);
  expect(sent()).toBe(3);
  terminal.cannotRead = () => false;
  terminal.received.length = 0;
  const next = bed.pay(30);
  await terminal.pay();
  expect((await next).body.response).toMatchObject({ result: 'success' });
});

test('two days without a payment pass without a single timer', async () => {
  bed = await TestBed.start();
  const terminal = await bed.terminal().connect();
  const paying = bed.pay(25);
  await terminal.pay();
  await paying;
  await bed.clock.advance(15 * second);
  expect(bed.clock.nextDue()).toBeUndefined();
});
