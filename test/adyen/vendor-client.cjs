// A till that uses Adyen's own client as Adyen's documents show. The till does not know about pinpad: `pinpad as`
// redirects its connections.
const { once } = require('node:events');
const { createServer } = require('node:http');
const {
  Client,
  Config,
  EnvironmentEnum,
  SaleToAcquirerDataParser,
  TerminalCloudAPI,
} = require('@adyen/api-library');
const { CloudDeviceApi } = require('@adyen/api-library/lib/src/services/clouddevice/cloudDeviceApi');

const ofTerminals = require('@adyen/api-library/lib/src/typings/terminal/models').ObjectSerializer;
const ofDevices = require('@adyen/api-library/lib/src/typings/tapi/objectSerializer').ObjectSerializer;

const [does = ''] = process.argv.slice(2);
const POIID = process.env.TILL_POIID;
const config = new Config({ apiKey: process.env.ADYEN_API_KEY, environment: EnvironmentEnum.TEST });
const client = new Client(config);
const cloud = new TerminalCloudAPI(client);
const devices = new CloudDeviceApi(client);

const message = (MessageCategory, ServiceID, body) => ({
  SaleToPOIRequest: {
    MessageHeader: {
      ProtocolVersion: '3.0',
      MessageClass: 'Service',
      MessageCategory,
      MessageType: 'Request',
      SaleID: 'POS-1',
      ServiceID,
      POIID,
    },
    [`${MessageCategory}Request`]: body,
  },
});
const payment = (ServiceID, amount, acquirerData) =>
  message('Payment', ServiceID, {
    SaleData: {
      SaleTransactionID: { TransactionID: `order-${ServiceID}`, TimeStamp: new Date().toISOString() },
      ...(acquirerData && { SaleToAcquirerData: acquirerData }),
    },
    PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: amount } },
  });
const about = (category, own, ServiceID, more) =>
  message(category, own, {
    MessageReference: { MessageCategory: 'Payment', SaleID: 'POS-1', ServiceID },
    ...more,
  });
const status = (own, ServiceID) =>
  cloud.sync(about('TransactionStatus', own, ServiceID, { ReceiptReprintFlag: true }));
const paidIn = ({ SaleToPOIResponse }) => SaleToPOIResponse?.PaymentResponse;

/**
 * Starts the till's server for event notifications, and prints its address. Then waits until the test has set this
 * address in Adyen's account.
 */
async function eventUrl() {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.end('[accepted]');
      server.emit('result', JSON.parse(Buffer.concat(chunks)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(`http://127.0.0.1:${server.address().port}/events`);
  await once(process.stdin, 'data');
  process.stdin.destroy();
  return server;
}

/**
 * Waits for the next payment result, and reads it with the client's own types, which drop unknown fields. Returns the
 * most important fields, and whether the types knew all fields of the result.
 */
async function resultOf(server, types) {
  const [{ SaleToPOIResponse: sent }] = await once(server, 'result');
  const result = types.deserialize(sent, 'SaleToPOIResponse');
  const { Response, PaymentReceipt } = result.PaymentResponse;
  const { metadata } = SaleToAcquirerDataParser.fromKeyValuePairs(Response.AdditionalResponse);
  const isAllKnown = JSON.stringify(sortedOf(result)) === JSON.stringify(sortedOf(sent));
  return [Response.Result, Response.ErrorCondition, PaymentReceipt?.length, metadata?.order, isAllKnown];
}

/** Returns the value with its fields in alphabetical order, so that values can be compared. */
function sortedOf(value) {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(sortedOf);
  if (value === null || typeof value !== 'object') return value;
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    known.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, sortedOf(each)]),
  );
}

const doing = {
  async pay() {
    const { Response, PaymentResult, PaymentReceipt } = paidIn(await cloud.sync(payment('1', 12.5)));
    return [Response.Result, PaymentResult.AmountsResp.AuthorizedAmount, PaymentReceipt.length];
  },
  async decline() {
    const { Response, PaymentReceipt } = paidIn(await cloud.sync(payment('2', 1.24)));
    return [Response.Result, Response.ErrorCondition, PaymentReceipt?.length];
  },
  async tip() {
    const asked = payment('3', 10, { tenderOption: 'AskGratuity' });
    return paidIn(await cloud.sync(asked)).PaymentResult.AmountsResp.TipAmount > 0;
  },
  async status() {
    await cloud.sync(payment('4', 12.5));
    const { TransactionStatusResponse } = (await status('4s', '4')).SaleToPOIResponse;
    const { MessageHeader, RepeatedResponseMessageBody } = TransactionStatusResponse.RepeatedMessageResponse;
    const { PaymentReceipt } = RepeatedResponseMessageBody.PaymentResponse;
    const unknown = await status('4u', 'nothing');
    return [
      MessageHeader.ServiceID,
      PaymentReceipt.length,
      unknown.SaleToPOIResponse.TransactionStatusResponse.Response.ErrorCondition,
    ];
  },
  async abort() {
    const paying = cloud.sync(payment('5', 12.5));
    for (let asked = 0, open = false; !open; asked++) {
      const { Response } = (await status(`5s${asked}`, '5')).SaleToPOIResponse.TransactionStatusResponse;
      open = Response.ErrorCondition === 'InProgress';
    }
    const aborted = await cloud.sync(about('Abort', '5a', '5', { AbortReason: 'MerchantAbort' }));
    return [aborted, paidIn(await paying).Response.ErrorCondition];
  },
  /**
   * Pays like a client that repeats a request after its connection broke. The second request has the same body, so it
   * has the same ServiceID.
   */
  async again() {
    const asked = payment('6', 12.5);
    const first = await cloud.sync(asked).catch((error) => error.name);
    return [first, paidIn(await cloud.sync(asked)).Response.Result];
  },
  async device() {
    const { uniqueDeviceIds } = await devices.getConnectedDevices('demo-shop');
    const online = await devices.getDeviceStatus('demo-shop', POIID);
    const paid = await devices.sync('demo-shop', POIID, payment('7', 12.5));
    const foreign = await devices.sync('another', POIID, payment('8', 1)).catch((error) => error.statusCode);
    return [uniqueDeviceIds.includes(POIID), online.status, paidIn(paid).Response.Result, foreign];
  },
  /**
   * Gives back a part of a payment, repeats this request, and then asks for too much, for the rest, and for the rest
   * again. Finally refunds another amount to a card.
   */
  async giveBack() {
    const { POIData } = paidIn(await cloud.sync(payment('10', 25)));
    const reversal = (ServiceID, ReversedAmount) =>
      message('Reversal', ServiceID, {
        OriginalPOITransaction: { POITransactionID: POIData.POITransactionID },
        ReversalReason: 'MerchantCancel',
        ...(ReversedAmount && { ReversedAmount }),
      });
    const part = reversal('11', 10);
    const said = [];
    for (const asked of [part, part, reversal('12', 15.01), reversal('13'), reversal('14')]) {
      const { Response, ReversedAmount } = (await cloud.sync(asked)).SaleToPOIResponse.ReversalResponse;
      said.push(Response.ErrorCondition ?? ReversedAmount);
    }
    const toACard = payment('15', 5);
    toACard.SaleToPOIRequest.PaymentRequest.PaymentData = { PaymentType: 'Refund' };
    const { PaymentResult } = paidIn(await cloud.sync(toACard));
    return [...said, PaymentResult.PaymentType, PaymentResult.AmountsResp.AuthorizedAmount];
  },
  async events() {
    const server = await eventUrl();
    const [first, taken] = await Promise.all([
      resultOf(server, ofTerminals),
      cloud.async(payment('9', 12.5, 'tenderOption=AskGratuity&metadata.order=27908')),
    ]);
    const [second, { Result }] = await Promise.all([
      resultOf(server, ofDevices),
      devices.async('demo-shop', POIID, payment('10', 1.24)),
    ]);
    server.close();
    return [taken, first, Result, second];
  },
  async rejected() {
    const answers = [
      await cloud.async(payment('11', 1)),
      await devices.async('demo-shop', POIID, payment('12', 1)),
    ];
    return answers.map((answer) => {
      const { SaleToPOIRequest } = ofTerminals.deserialize(answer, 'TerminalApiResponse');
      const { EventToNotify, EventDetails } = SaleToPOIRequest.EventNotification;
      return [EventToNotify, new URLSearchParams(EventDetails).get('message')];
    });
  },
};

doing[does]().then(
  (came) => console.log(JSON.stringify(came)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
