import { expect, test } from 'vitest';
import { encode } from '../../shared/nexo/encode.fixture.ts';
import type { MessageBody, MessageKind } from '../../shared/nexo/message.ts';
import { linkAs, type OwnTerminal, provisionOwnTerminal } from '../own-terminal.ts';
import type { RawWebSocket } from '../raw-web-socket.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';

/** Tests those conditions of docs/outcomes.md that exist only on a terminal's link, with a scripted terminal. */

interface Own {
  harness: StackHarness;
  terminal: OwnTerminal;
  link: RawWebSocket;
  say<K extends MessageKind>(kind: K, serviceId: string, body: MessageBody<K>): void;
}

async function setup(): Promise<Own> {
  const harness = await stackHarness();
  const terminal = await provisionOwnTerminal(harness);
  const link = await linkAs(harness, '/poi', terminal);
  const say: Own['say'] = (kind, serviceId, body) =>
    link.text(encode(kind, { serviceId, poiId: terminal.poiId }, body));
  return { harness, terminal, link, say };
}

const payOn = ({ harness, terminal }: Own, amount: number) =>
  harness.http('POST', `/terminals/${terminal.id}/payment-request`, {
    paymentTransaction: { amountsReq: { requestedAmount: amount } },
  });

interface PaymentRequestMessage {
  SaleToPOIRequest: {
    MessageHeader: { ServiceID: string };
    PaymentRequest: { SaleData: { SaleTransactionID: { TransactionID: string; TimeStamp: string } } };
  };
}

test("the condition notAllowed is the host's answer for a payment that was not requested", async () => {
  const { link, say } = await setup();
  say('AcquirerRequest', 'A1', {
    Type: 'Authorize',
    PaymentReference: '00000000-0000-7000-8000-000000000000',
    AttemptID: 'A1',
    Currency: 'EUR',
    RequestedAmount: 1000,
    TotalAmount: 1000,
    Card: { Brand: 'visa', MaskedPan: '411111 **** 1111', EntryMode: 'ICC' },
  });
  const { SaleToPOIResponse } = await link.message();
  expect(SaleToPOIResponse?.AcquirerResponse).toMatchObject({
    Approved: false,
    ErrorCondition: 'NotAllowed',
  });
});

test('the condition unavailableService comes if a terminal reports an approval that the acquirer does not know', async () => {
  const own = await setup();
  const paying = payOn(own, 10);
  const { SaleToPOIRequest } = (await own.link.message()) as unknown as PaymentRequestMessage;
  const { SaleTransactionID } = SaleToPOIRequest.PaymentRequest.SaleData;
  own.say('PaymentResponse', SaleToPOIRequest.MessageHeader.ServiceID, {
    Response: { Result: 'Success' },
    SaleData: { SaleTransactionID },
    POIData: { POITransactionID: { TransactionID: 'mine', TimeStamp: SaleTransactionID.TimeStamp } },
  });
  const { body } = await paying;
  expect(body.response).toMatchObject({ result: 'failure', errorCondition: 'unavailableService' });
  expect((await own.harness.control('GET', '/books')).body).toMatchObject({ agree: true });
});

test('after notFound, a terminal that lost the payment gets it again', async () => {
  const own = await setup();
  void payOn(own, 10);
  const first = (await own.link.message()) as unknown as PaymentRequestMessage;
  own.link.destroy();
  const again = await linkAs(own.harness, '/poi', own.terminal);
  const asked = await again.message();
  const { ServiceID } = (asked.SaleToPOIRequest as unknown as PaymentRequestMessage['SaleToPOIRequest'])
    .MessageHeader;
  again.text(
    encode(
      'TransactionStatusResponse',
      { serviceId: ServiceID, poiId: own.terminal.poiId },
      {
        Response: { Result: 'Failure', ErrorCondition: 'NotFound' },
        MessageReference: {
          MessageCategory: 'Payment',
          ServiceID: first.SaleToPOIRequest.MessageHeader.ServiceID,
        },
      },
    ),
  );
  expect(await again.message()).toEqual(first);
});
