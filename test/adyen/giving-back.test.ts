import { expect, onTestFinished, test } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { resolveConfig, startStack } from '../../stack/index.ts';

const shopper = { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 } as const;

async function start(withShopper = true) {
  const config = {
    ...({ port: 0, memory: true, pacing: 'instant', adyen: true } as const),
    ...(withShopper && { shopper }),
  };
  const stack = await startStack(resolveConfig(undefined, config));
  onTestFinished(() => stack.close());
  const control = async <Body>(path: string) => {
    const headers = { authorization: `Bearer ${stack.controlToken}` };
    return (await fetch(`${stack.url}/control/${path}`, { headers })).json() as Promise<Body>;
  };
  const poiId = stack.terminals[0]?.poiId;
  const token = stack.tokens[0]?.token ?? '';
  return { till: new Till({ url: stack.url, token }, token, poiId), control, poiId };
}

const reversalIn = ({ body }: { body: { SaleToPOIResponse: { ReversalResponse: Reversal } } }) =>
  body.SaleToPOIResponse.ReversalResponse;

interface Reversal {
  Response: { Result: string; ErrorCondition?: string; AdditionalResponse?: string };
  POIData: { POITransactionID: { TransactionID: string } };
  ReversedAmount?: number;
  PaymentReceipt: { OutputContent: { OutputText: { Text: string }[] } }[];
}

test('a payment is given back in parts, never more than it took, and a refund goes to a card', async () => {
  const { till, control } = await start();
  const paid = (await till.pay('1', 25)).body.SaleToPOIResponse.PaymentResponse;
  const original = paid.POIData.POITransactionID.TransactionID;
  expect(original).toMatch(/^\w+\.[A-Z0-9]{16}$/);

  const part = await till.reverse('2', original, { amount: 10 });
  expect(reversalIn(part)).toMatchObject({ Response: { Result: 'Success' }, ReversedAmount: 10 });
  expect(reversalIn(part).PaymentReceipt).toHaveLength(2);
  expect((await till.reverse('2', original, { amount: 10 })).text).toBe(part.text);

  const tooMuch = reversalIn(await till.reverse('3', original, { amount: 15.01 }));
  expect(tooMuch.Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'NotAllowed' });
  expect(decodeURIComponent(tooMuch.Response.AdditionalResponse ?? '')).toContain('15.00 EUR');

  const rest = reversalIn(await till.reverse('4', original.split('.')[1] as string));
  expect(rest).toMatchObject({ Response: { Result: 'Success' }, ReversedAmount: 15 });
  const nothing = reversalIn(await till.reverse('5', original));
  expect(nothing.Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'NotAllowed' });

  const refund = await till.pay('6', 7.5, { payment: { PaymentData: { PaymentType: 'Refund' } } });
  expect(refund.body.SaleToPOIResponse.PaymentResponse).toMatchObject({
    Response: { Result: 'Success' },
    PaymentResult: { PaymentType: 'Refund', AmountsResp: { AuthorizedAmount: 7.5 } },
  });
  const status = (await till.status('2', { request: { ReceiptReprintFlag: true } })).body.SaleToPOIResponse;
  expect(status.TransactionStatusResponse.RepeatedMessageResponse).toMatchObject({
    MessageHeader: { ServiceID: '2', MessageCategory: 'Reversal', MessageType: 'Response' },
    RepeatedResponseMessageBody: { ReversalResponse: reversalIn(part) },
  });

  expect(await control('books')).toMatchObject({ agree: true, payments: 4, givenBack: [], differences: [] });
  const kinds = (await control<{ kind: string }[]>('ledger')).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['authorized', 'refunded', 'refunded', 'refunded']);
});

test('a payment that was aborted at the terminal cannot be given back', async () => {
  const { till, control, poiId } = await start(false);
  const paying = till.pay('1', 25);
  await control(`terminals/${poiId}/screen?until=presentCard`);
  await till.abort('1');
  const { Response, POIData } = (await paying).body.SaleToPOIResponse.PaymentResponse;
  expect(Response.ErrorCondition).toBe('Aborted');
  const { TransactionID } = POIData.POITransactionID;
  expect(TransactionID).toMatch(/^V4\w+$/);
  const refused = reversalIn(await till.reverse('2', TransactionID));
  expect(refused.Response.ErrorCondition).toBe('NotAllowed');
  expect(decodeURIComponent(refused.Response.AdditionalResponse ?? '')).toContain('The payment failed');
  expect(await control('books')).toMatchObject({ agree: true, payments: 1 });
});
