import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

testInChromiumInCi('an amount of a debit is kept from refunds', async () => {
  const { page, harness } = await openConsole();
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

testInChromiumInCi(
  'a link is accepted as the customer, and its event is sent again to a webhook',
  async () => {
    const { page, harness, complaints } = await openConsole();
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
    expect((await harness.control('POST', '/webhooks', { id: 'pos', accountId, url, types })).status).toBe(
      201,
    );
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
  },
);

testInChromiumInCi('a link is refused by the bank once it is accepted, and another runs out', async () => {
  const { page, harness, complaints } = await openConsole();
  const credit = {
    amount: 25.5,
    statement: 'REFUND',
    from_bank_account: 'demo-bank-account',
    contact_id: 'demo-customer',
  };
  const refused = await harness.http('PUT', '/credit', credit);
  const expired = await harness.http('PUT', '/credit', { ...credit, amount: 7 });
  const stateOf = async ({ body }: typeof refused) =>
    (await harness.control<{ state: string }>('GET', `/credits/${body.identifier}`)).body.state;
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('link', { name: 'Payment links' }).click();
  await page.getByRole('row', { name: /EUR 25.50/ }).click();
  const detail = page.getByRole('complementary', { name: 'The chosen record' });
  const refuse = detail.getByRole('button', { name: 'Let the bank refuse the payment' });
  await refuse.click();
  await detail.getByText('the bank will refuse the payment: refused by a test').waitFor();
  expect(await refuse.isDisabled()).toBe(true);
  await detail.getByRole('button', { name: 'Accept as the customer' }).click();
  await detail.getByText('failed', { exact: true }).waitFor();
  await page.getByRole('row', { name: /EUR 7.00/ }).click();
  await detail.getByRole('button', { name: 'Expire it' }).click();
  await detail.getByText('expired', { exact: true }).waitFor();
  expect(await detail.getByRole('button', { name: /Accept|refuse|Expire/ }).count()).toBe(0);
  expect([await stateOf(refused), await stateOf(expired)]).toEqual(['failed', 'expired']);
  expect(complaints).toEqual([]);
});

testInChromium('a payment is listed with its total and its tip, after a restart too', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-console-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const { page, harness } = await openConsole({}, { memory: false, data });
  const paid = harness.pay(10, { gratuity: { enabled: true } });
  await harness.until('tip');
  await harness.act('press', { key: '2' });
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  expect((await paid).body.paymentResult?.amountsResp?.tipAmount).toBe(1.8);
  await harness.restartGateway();
  await page.getByText('the gateway was restarted').waitFor();
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  const row = page.getByRole('row', { name: /EUR 11.80/ });
  await row.getByRole('cell', { name: 'EUR 1.80', exact: true }).waitFor();
  await row.click();
  const detail = page.getByRole('complementary', { name: 'The chosen record' });
  await detail.getByRole('heading', { name: 'EUR 11.80 success' }).waitFor();
  await detail.getByText('EUR 10.00', { exact: true }).waitFor();
});

testInChromiumInCi('a payment that cannot be read is not shown as the payment before it', async () => {
  const { page, harness } = await openConsole();
  void harness.pay(10);
  await harness.until('presentCard');
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('row', { name: /EUR 10.00/ }).click();
  const detail = page.getByRole('complementary', { name: 'The chosen record' });
  await detail.getByRole('button', { name: 'Decline it' }).waitFor();
  await page.route(/\/control\/payments\/other$/, (route) =>
    route.fulfill({ status: 404, json: { error: 'paymentNotFound', message: 'there is no such payment' } }),
  );
  const answered = page.waitForResponse(/\/control\/payments\/other$/);
  await page.evaluate("location.replace('#records?of=payments&id=other')");
  await answered;
  await detail.getByText('there is no such payment').waitFor();
  expect(await detail.getByRole('button', { name: 'Decline it' }).count()).toBe(0);
});

testInChromiumInCi('a list that was read to its end reaches the records before a new gap', async () => {
  const { page, harness } = await openConsole();
  let newest = 250;
  await page.route(/\/control\/credits\?limit=200/, (route) => {
    const before = Number(new URL(route.request().url()).searchParams.get('before') ?? newest + 1);
    return route.fulfill({ json: linksBefore(before).slice(0, 200) });
  });
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('link', { name: 'Payment links' }).click();
  const readToEnd = async () => {
    await page.locator('.rows').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    return page.getByRole('table').getAttribute('aria-rowcount');
  };
  await expect.poll(readToEnd).toBe('251');
  newest = 650;
  const credit = { amount: 1, statement: 'REFUND', from_bank_account: 'demo-bank-account' };
  await harness.http('PUT', '/credit', { ...credit, contact_id: 'demo-customer' });
  await expect.poll(readToEnd, { timeout: 10_000 }).toBe('651');
});

/** Makes payment links, latest first. Their identifiers are all positive numbers that are smaller than `before`. */
function linksBefore(before: number) {
  const common = {
    amount: 1,
    currency: 'EUR',
    state: 'created',
    why: '',
    createdAt: '2026-01-01T09:00:00.000Z',
  };
  return Array.from({ length: before - 1 }, (_, nth) => ({ ...common, id: String(before - 1 - nth) }));
}
