import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { testWith } from '../optional-programs.ts';
import { chromiumOfThisFile } from '../trace/browser.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const openPage = chromiumOfThisFile();

testInChromium('an amount of a debit is kept from refunds', async () => {
  const { page, harness } = await openConsole(openPage);
  const charge = { amount: 30, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1' };
  const path = '/contact/demo-customer/creditCards/demo-visa/charge';
  const { body } = await harness.http<{ debit_id: string }>('POST', path, charge);
  await page.goto(`${harness.stack.url}/console#records?of=debits&id=${body.debit_id}`);
  const detail = page.getByRole('complementary', { name: 'The chosen record' });
  await detail.getByLabel('Keep from refunds').fill('12,50');
  await detail.getByRole('button', { name: 'Block' }).click();
  await detail.getByText('12.5 EUR: blocked by a test').waitFor();
  await detail.getByLabel('Keep from refunds').fill('0');
  await detail.getByRole('button', { name: 'Block' }).click();
  await detail.getByText('blocked by a test').waitFor({ state: 'detached' });
});

testInChromium('a link is accepted as the customer, and its event is sent again to a webhook', async () => {
  const { page, harness, complaints } = await openConsole(openPage);
  let arrived = 0;
  const receiver = createServer((request, response) => {
    arrived++;
    request.resume();
    response.writeHead(arrived === 1 ? 500 : 200).end('<script>alert(1)</script>');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  harness.beforeClose(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const accountId = harness.stack.tokens[0]?.account;
  const types = ['payments.credits.completed'];
  expect((await harness.control('POST', '/webhooks', { id: 'pos', accountId, url, types })).status).toBe(201);
  const credit = {
    amount: 25.5,
    statement: '<b>REFUND</b>',
    from_bank_account: 'demo-bank-account',
    contact_id: 'demo-customer',
  };
  const { body } = await harness.http('PUT', '/credit', credit);
  await page.goto(`${harness.stack.url}/console#records?of=credits&id=${body.identifier}`);
  const detail = page.getByRole('complementary', { name: 'The chosen record' });
  await detail.getByText('<b>REFUND</b>').waitFor();
  await detail.getByRole('button', { name: 'Accept as the customer' }).click();
  await detail.getByText('completed', { exact: true }).waitFor();
  expect(await detail.getByRole('button', { name: 'Expire it' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Deliveries' }).click();
  await page.getByRole('row', { name: /payments.credits.completed/ }).click();
  await detail.getByText(/500 after/).waitFor();
  await detail.getByRole('button', { name: 'Send it again' }).click();
  await detail.getByText(/200 after/).waitFor();
  await detail.getByText('delivered', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
