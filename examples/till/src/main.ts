import { tillApp } from './app.ts';
import { PaymentsClient } from './payments-client.ts';
import { Sales } from './sales.ts';

const { PAYMENTS_URL = 'http://127.0.0.1:8080', PAYMENTS_TOKEN = '', TERMINAL_ID = '' } = process.env;
const sales = new Sales(
  new PaymentsClient({ url: PAYMENTS_URL, token: PAYMENTS_TOKEN, terminalId: TERMINAL_ID }),
);
await sales.recover();
tillApp(sales).listen(3000, () => console.log('The till is at http://127.0.0.1:3000'));
