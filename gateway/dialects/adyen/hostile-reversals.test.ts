import { afterEach, expect, test } from 'vitest';
import type { AcquirerRequest, AcquirerResponse } from '../../../shared/nexo/acquirer.ts';
import type { MessageBody } from '../../../shared/nexo/message.ts';
import { hour, PaymentsHarness } from '../../payments/payments-harness.fixture.ts';
import { makeReversalAnswer } from '../../payments/test-terminal.fixture.ts';
import { makeApprovedPayment, readReversalResponse, Till } from './till.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

/**
 * Pays 25.00, and requests a reversal of 10.00 of this payment. Resolves when the terminal of the payment has received
 * the request for the reversal. The account also has another terminal.
 */
async function asked() {
  harness = await PaymentsHarness.start({ adyen: true });
  const till = new Till(harness);
  const terminal = await harness.terminal().connect();
  const other = await harness.terminal('V400m-2').connect();
  const reference = await makeApprovedPayment(till, terminal);
  const reply = till.reverse('2', reference, { amount: 10 });
  const request = await terminal.next('ReversalRequest');
  const id = request.body.SaleData.SaleTransactionID.TransactionID;
  const original = JSON.parse(request.body.SaleData.SaleToPOIData ?? '').reversal.original as string;
  return { till, terminal, other, reply, request, id, original };
}

const refundOf = (PaymentReference: string, AttemptID = 'attempt-1'): AcquirerRequest => ({
  Type: 'Refund',
  PaymentReference,
  AttemptID,
  Currency: 'EUR',
  Amount: 1000,
});

const named = (
  answer: MessageBody<'ReversalResponse'>,
  TransactionID: string,
): MessageBody<'ReversalResponse'> => ({
  ...answer,
  SaleData: {
    ...answer.SaleData,
    SaleTransactionID: { ...answer.SaleData.SaleTransactionID, TransactionID },
  },
});

/**
 * Lets time pass while the terminal stays silent. Checks that the host takes the reversed money from the cardholder
 * again, and that the till gets a failure.
 */
async function lostInTheEnd({ reply, till }: Pick<Awaited<ReturnType<typeof asked>>, 'reply' | 'till'>) {
  await harness.settle();
  await harness.clock.advance(hour);
  await reply;
  const { body } = await till.status('2');
  const { RepeatedResponseMessageBody } =
    body.SaleToPOIResponse.TransactionStatusResponse.RepeatedMessageResponse;
  expect(RepeatedResponseMessageBody.ReversalResponse.Response.ErrorCondition).toBe('DeviceOut');
  expect(harness.journal('ledger.returned')).toHaveLength(1);
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0, concluded: 2 });
}

test.each([
  ['as a payment', 'PaymentResponse'],
  ['in the name of its payment', 'original'],
  ['in the name of nothing', '01b78000-0000-7000-8000-000000000001'],
] as const)('a terminal that answers a reversal %s counts as not having answered (B492)', async (_, way) => {
  const { terminal, request, id, original, ...rest } = await asked();
  await terminal.refund(request);
  const answer = makeReversalAnswer(request.body);
  const { ServiceID } = request.header;
  if (way === 'PaymentResponse')
    terminal.send('PaymentResponse', ServiceID, {
      Response: answer.Response,
      SaleData: answer.SaleData,
      POIData: answer.POIData,
    });
  else terminal.send('ReversalResponse', ServiceID, named(answer, way === 'original' ? original : way));
  await lostInTheEnd(rest);
});

test('an answer from another terminal, or with another ServiceID, does not answer a reversal (B492)', async () => {
  const { terminal, other, request, reply } = await asked();
  await terminal.refund(request);
  other.send('ReversalResponse', request.header.ServiceID, makeReversalAnswer(request.body));
  terminal.send('ReversalResponse', 'OTHER', makeReversalAnswer(request.body));
  await harness.seen('link.closed', 2);
  expect(await harness.booksAgree()).toMatchObject({ open: 1 });
  const back = await harness.terminal().connect();
  await back.next('TransactionStatusRequest');
  back.answerReversal(request);
  expect(readReversalResponse(await reply).Response.Result).toBe('Success');
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
});

test.each([2500, 9.99])(
  'a terminal that claims to have given back %d is not believed (B492)',
  async (ReversedAmount) => {
    const { terminal, request, reply } = await asked();
    await terminal.refund(request);
    terminal.send('ReversalResponse', request.header.ServiceID, {
      ...makeReversalAnswer(request.body),
      ReversedAmount,
    });
    expect(readReversalResponse(await reply).Response.ErrorCondition).toBe('UnavailableService');
    expect(harness.journal('ledger.returned')).toHaveLength(1);
    expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
  },
);

test.each([-10, 1e15])(
  'an answer that claims %d cannot be read, and does not count (B492)',
  async (ReversedAmount) => {
    const { terminal, request, ...rest } = await asked();
    await terminal.refund(request);
    terminal.send('ReversalResponse', request.header.ServiceID, {
      ...makeReversalAnswer(request.body),
      ReversedAmount,
    });
    await lostInTheEnd(rest);
  },
);

test('repeated answers, and later requests to the host, change nothing (B492)', async () => {
  const { terminal, request, reply, id } = await asked();
  await terminal.refund(request);
  terminal.answerReversal(request);
  terminal.answerReversal(request, 'Refusal');
  const { text } = await reply;
  expect(text).toContain('"Success"');
  for (const AttemptID of ['attempt-1', 'attempt-2'])
    terminal.send('AcquirerRequest', request.header.ServiceID, refundOf(id, AttemptID));
  await terminal.next('AcquirerResponse');
  expect((await terminal.next('AcquirerResponse')).body).toMatchObject({
    Approved: false,
    Message: 'PAYMENT_CLOSED',
  });
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0, concluded: 2 });
  expect(harness.journal('ledger.refunded')).toHaveLength(1);
});

test('the host gives back once, even if it is asked several times or for other payments (B492)', async () => {
  const { terminal, other, request, reply, id, original } = await asked();
  const ask = async (from: typeof terminal, asking: AcquirerRequest) => {
    from.send('AcquirerRequest', 'HOST', asking);
    return (await from.next('AcquirerResponse')).body as AcquirerResponse;
  };
  expect(await ask(terminal, refundOf(original))).toMatchObject({ Approved: false, Message: 'OTHER_KIND' });
  expect(await ask(terminal, refundOf(original, 'attempt-2'))).toMatchObject({ Approved: false });
  other.send('AcquirerRequest', 'HOST', refundOf(id));
  await harness.seen('link.closed');
  const [first, again] = [await ask(terminal, refundOf(id)), await ask(terminal, refundOf(id))];
  expect(again).toEqual(first);
  for (const attempt of ['attempt-2', 'attempt-1']) await ask(terminal, refundOf(id, attempt));
  terminal.answerReversal(request);
  await reply;
  const given = harness.journal('ledger.refunded').length - harness.journal('ledger.returned').length;
  expect(given).toBeLessThanOrEqual(1);
  expect(await harness.booksAgree()).toMatchObject({ agree: true, open: 0 });
});
