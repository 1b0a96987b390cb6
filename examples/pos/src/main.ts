import type { AddressInfo } from 'node:net';
import { createPosApp } from './app.ts';
import { PaymentsClient } from './payments-client.ts';
import { SaleStore } from './sale-store.ts';
import { Sales } from './sales.ts';

const { PAYMENTS_URL = 'http://127.0.0.1:8080', PAYMENTS_TOKEN, TERMINAL_ID } = process.env;
const { PORT = '3000', SALES_FOLDER = 'sales' } = process.env;
if (!PAYMENTS_TOKEN || !TERMINAL_ID) {
  console.error('Set PAYMENTS_TOKEN and TERMINAL_ID to what "pinpad up --headless" prints.');
  process.exit(1);
}
const payments = new PaymentsClient({ url: PAYMENTS_URL, token: PAYMENTS_TOKEN, terminalId: TERMINAL_ID });
const sales = new Sales(payments, new SaleStore(SALES_FOLDER));
sales.recover(); // the POS asks for open sales in the background, so it can sell at once
const server = createPosApp(sales).listen(Number(PORT), '127.0.0.1', () =>
  console.log(`The POS is at http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
