// Pays with the vendor's own client, as the vendor's documents show. The first payment uses the Terminal API, and the
// second uses the device API.
const { Client, Config, TerminalCloudAPI } = require('@adyen/api-library');
const { CloudDeviceApi } = require('@adyen/api-library/lib/src/services/clouddevice/cloudDeviceApi');

const client = new Client(new Config({ apiKey: process.env.ADYEN_API_KEY, environment: 'TEST' }));
const request = {
  SaleToPOIRequest: {
    MessageHeader: {
      ...{
        ProtocolVersion: '3.0',
        MessageClass: 'Service',
        MessageCategory: 'Payment',
        MessageType: 'Request',
      },
      ...{ SaleID: 'till-1', ServiceID: '0001', POIID: 'V400m-1' },
    },
    PaymentRequest: {
      SaleData: { SaleTransactionID: { TransactionID: '1', TimeStamp: '2026-01-01T09:00:00.000Z' } },
      PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: 12.5 } },
    },
  },
};

async function pay() {
  const ways = [
    () => new TerminalCloudAPI(client).sync(request),
    () => new CloudDeviceApi(client).sync('Shop', 'V400m-1', request),
  ];
  for (const way of ways) {
    const { SaleToPOIResponse } = await way();
    console.log(SaleToPOIResponse.PaymentResponse.Response.Result);
  }
}

pay().catch(({ message }) => {
  console.log(message);
  process.exitCode = 3;
});
