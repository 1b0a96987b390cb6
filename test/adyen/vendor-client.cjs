// A till on Adyen's own client, as its documents show it. It knows nothing of pinpad: `pinpad as` leads it.
const { Client, Config, EnvironmentEnum, TerminalCloudAPI } = require('@adyen/api-library');
const { CloudDeviceApi } = require('@adyen/api-library/lib/src/services/clouddevice/cloudDeviceApi');

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
  /** As a client that repeats a request whose connection broke: the same body, so the same ServiceID. */
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
};

doing[does]().then(
  (came) => console.log(JSON.stringify(came)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
