import { afterEach, expect, test } from 'vitest';
import { day, type SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';
import {
  CustomerBrowser,
  exampleCreditBody,
  makeLink,
  startHarnessWithQuestion,
} from './customer.fixture.ts';

const open: SavedCardsHarness[] = [];
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.stop();
});
async function start(
  options: Parameters<typeof startHarnessWithQuestion>[0] = {},
): Promise<SavedCardsHarness> {
  const harness = await startHarnessWithQuestion(options);
  open.push(harness);
  return harness;
}
const iban = { kind: 'iban', iban: 'DE89 3704 0044 0532 0130 00' };

test('a credit is answered with its identifier, link and amount, and its event is sent (B93, B105)', async () => {
  const harness = await start();
  const { body } = await harness.api('PUT', '/credit', exampleCreditBody);
  expect(body).toEqual({
    identifier: expect.any(String),
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/pay\/[\w-]{43}$/),
    amount: 25.5,
  });
  const [event] = await harness.gateway.events.list({ limit: 1 });
  expect(event).toMatchObject({
    type: 'payments.credits.initiated',
    resourceId: body.identifier,
    data: { creditId: body.identifier, status: 'initiated', amount: '25.50', fromBankAccountId: 'bank' },
  });
  const seen = JSON.stringify(harness.runtime.journal.since());
  expect(seen).not.toContain(body.link.split('/pay/')[1]);
});

test.each([
  [{ amount: 0 }, 400, 'invalidAmount'],
  [{ amount: 1.001 }, 400, 'invalidAmount'],
  [{ amount: undefined }, 400, 'invalidRequest'],
  [{ statement: 'x'.repeat(23) }, 400, 'invalidRequest'],
  [{ contact_id: 'nobody' }, 404, 'contactNotFound'],
  [{ from_bank_account: 'none' }, 404, 'bankAccountNotFound'],
])('a credit with %j is refused with %i %s (B95)', async (changes, status, error) => {
  const harness = await start();
  const reply = await harness.api('PUT', '/credit', { ...exampleCreditBody, ...changes });
  expect(reply).toMatchObject({ status, body: { error } });
});

test('a credit without a body is refused with details (B115)', async () => {
  const harness = await start();
  expect(await harness.api('PUT', '/credit')).toMatchObject({
    status: 400,
    body: { error: 'invalidRequest', details: [{ path: '', message: expect.any(String) }] },
  });
});

test('an account without a security question has no payment links (B99)', async () => {
  const harness = await start();
  const { accounts, contacts, tokens } = harness.gateway;
  await accounts.createAccount({ id: 'rival', name: 'Rival', currency: 'EUR' });
  await contacts.createContact({ id: 'kim', accountId: 'rival', name: 'Kim' });
  await contacts.createBankAccount({ id: 'rival-bank', accountId: 'rival', name: 'Bank' });
  const token = (await tokens.createToken({ accountId: 'rival' })).token ?? '';
  const own = { ...exampleCreditBody, contact_id: 'kim', from_bank_account: 'rival-bank' };
  expect(await harness.api('PUT', '/credit', own, { token })).toMatchObject({
    status: 409,
    body: { error: 'securityQuestionMissing' },
  });
  expect(await harness.api('PUT', '/credit', exampleCreditBody, { token })).toMatchObject({
    status: 404,
    body: { error: 'contactNotFound' },
  });
  const mixed = { ...exampleCreditBody, contact_id: 'kim' };
  expect(await harness.api('PUT', '/credit', mixed, { token })).toMatchObject({
    status: 404,
    body: { error: 'bankAccountNotFound' },
  });
});

test('a customer answers, names an account and accepts, and the link is used up (B94, B97)', async () => {
  const harness = await start();
  const { id, link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  expect(customer.status).toBe(200);
  expect(customer.text).toBe(
    'Blue <Shop> & Sons sends you €25.50 Reference: REFUND 1001 A question first What colour is our "shop"? Your answer Continue',
  );
  await customer.submit('answer', { answer: '  sky BLUE' });
  expect(customer.text).toContain('Where should the money go?');
  await customer.submit('bank', iban);
  expect(customer.text).toContain('To account **** 3000');
  await customer.submit('accept');
  expect(customer.status).toBe(200);
  expect(customer.text).toContain('The money is on its way The money goes to your account **** 3000.');

  const { body } = await harness.control('GET', `/control/credits/${id}`);
  expect(body).toMatchObject({
    state: 'completed',
    why: 'the customer accepted the payment',
    paidTo: { kind: 'iban', maskedNumber: '**** 3000' },
  });
  expect(await harness.events(id)).toEqual(['payments.credits.initiated', 'payments.credits.completed']);

  await customer.open();
  expect(customer.status).toBe(410);
  await customer.submit('accept', {}, 'x');
  expect(customer.status).toBe(410);
  expect(await harness.events(id)).toHaveLength(2);
});

test('a used, expired or unknown link gives the same page, and this page reveals nothing (B98)', async () => {
  const harness = await start();
  const used = await makeLink(harness);
  await harness.control('POST', `/control/credits/${used.id}/accept`, iban);
  const expired = await makeLink(harness);
  await harness.clock.advance(30 * day);
  expect(await harness.events(expired.id)).toEqual([
    'payments.credits.initiated',
    'payments.credits.expired',
  ]);
  const pages = [];
  for (const link of [used.link, expired.link, `${harness.gateway.url}/pay/${'x'.repeat(43)}`]) {
    const customer = await new CustomerBrowser(link).open();
    expect(customer.status).toBe(410);
    pages.push(customer.page);
  }
  expect(new Set(pages).size).toBe(1);
  expect(pages[0]).not.toMatch(/Blue|25|REFUND|colour/);
});

test('a link that has run out while its page was open cannot be accepted (B96)', async () => {
  const harness = await start();
  const { id, link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  await customer.submit('bank', iban);
  await harness.clock.advance(30 * day);
  await customer.submit('accept');
  expect(customer.status).toBe(410);
  expect((await harness.control('GET', `/control/credits/${id}`)).body.state).toBe('expired');
});

test('three wrong answers lock the link for 15 minutes in all browsers (B100)', async () => {
  const harness = await start();
  const { link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  const wrong = async () => (await customer.submit('answer', { answer: 'red' })).text;
  expect(await wrong()).toContain('That is not the right answer. You have 2 tries left.');
  expect(customer.status).toBe(422);
  expect(await wrong()).toContain('You have one try left.');
  const csrf = customer.csrf;
  expect(await wrong()).toContain('You can try again in 15 minutes.');
  expect(customer.status).toBe(429);
  expect(customer.headers.get('retry-after')).toBe('900');
  await customer.submit('answer', { answer: 'sky blue' }, csrf);
  expect(customer.status).toBe(429);
  expect((await new CustomerBrowser(link).open()).status).toBe(429);
  await harness.clock.advance(15 * 60_000);
  await customer.open();
  await customer.submit('answer', { answer: 'sky blue' });
  expect(customer.text).toContain('Where should the money go?');
});

test('a customer has three tries again once the lock has run out (B100)', async () => {
  const harness = await start();
  const { link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  const wrong = async () => (await customer.submit('answer', { answer: 'red' })).text;
  for (let tries = 3; tries > 0; tries--) await wrong();
  expect(customer.status).toBe(429);
  await harness.clock.advance(15 * 60_000);
  await customer.open();
  expect(await wrong()).toContain('That is not the right answer. You have 2 tries left.');
  expect(await wrong()).toContain('You have one try left.');
  expect(await wrong()).toContain('You can try again in 15 minutes.');
});

test('many wrong answers at the same time count as three tries', async () => {
  const harness = await start();
  const { link } = await makeLink(harness);
  const customers = await Promise.all(Array.from({ length: 12 }, () => new CustomerBrowser(link).open()));
  await Promise.all(customers.map((customer) => customer.submit('answer', { answer: 'red' })));
  const tried = harness.journal('credit.visited').map(({ data }) => data.what);
  expect(tried).toHaveLength(3);
  expect(customers.filter(({ status }) => status === 429)).toHaveLength(10);
});

test('a right answer counts only for the browser that gave it, not for another with the link (B100)', async () => {
  const harness = await start();
  const { link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  const stranger = await new CustomerBrowser(link).open();
  expect(stranger.text).toContain('A question first');
  await stranger.submit('bank', iban);
  expect(stranger.status).toBe(403);
  await stranger.submit('accept');
  expect(stranger.status).toBe(403);
  stranger.cookie = customer.cookie?.replace(/=.*/, `=${'A'.repeat(43)}`);
  expect((await stranger.open()).text).toContain('A question first');
});

test('a visit to one link does not count for another link', async () => {
  const harness = await start();
  const customer = await new CustomerBrowser((await makeLink(harness)).link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  const other = new CustomerBrowser((await makeLink(harness)).link);
  other.cookie = customer.cookie;
  await other.open();
  expect(other.text).toContain('A question first');
  await other.submit('answer', { answer: 'sky blue' }, customer.csrf);
  expect(other.status).toBe(403);
});

test('a form that did not come from the page changes nothing', async () => {
  const harness = await start();
  const { id, link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  await customer.submit('answer', { answer: 'sky blue' }, 'forged');
  expect(customer.status).toBe(403);
  expect(customer.text).toContain('Please try again.');
  await customer.submit('answer', { answer: 'sky blue' });
  await customer.submit('bank', iban);
  const { csrf } = customer;
  await customer.submit('accept', {}, '');
  expect(customer.status).toBe(403);
  const without = new CustomerBrowser(link);
  await without.submit('accept', {}, csrf);
  expect(without.status).toBe(403);
  expect((await harness.control('GET', `/control/credits/${id}`)).body.state).toBe('initiated');
});

test.each([
  ['a null character', '%00', 'has a control character'],
  ['an escape sequence', '%1B[2J', 'has a control character'],
  ['a control character of the other set', '%C2%9B', 'has a control character'],
  ['half a surrogate pair', '%ED%A0%BD', 'badly percent-encoded'], // these bytes are not valid UTF-8
])('a form with %s is refused at every step, and changes nothing (B120)', async (_what, rubbish, message) => {
  const harness = await start();
  const { id, link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  const { csrf } = customer;
  const refused = async (form: string, current: string) => {
    await customer.submitRaw(form, csrf);
    expect([form, customer.status, JSON.parse(customer.page).error]).toEqual([form, 400, 'invalidRequest']);
    expect(customer.page).toContain(message);
    await customer.open();
    expect(customer.text).toContain(current);
  };
  await refused(`step=answer&answer=sky+blue${rubbish}`, 'A question first');
  await refused(`step=answer&answer=sky+blue&a${rubbish}=b`, 'A question first');
  expect(harness.journal('credit.visited')).toEqual([]);
  await customer.submit('answer', { answer: 'sky blue' });
  await refused(`step=bank&kind=iban&iban=${iban.iban}${rubbish}`, 'Where should the money go?');
  await customer.submit('bank', iban);
  await refused(`step=change&a=${rubbish}`, 'To account **** 3000');
  await refused(`step=accept&a=${rubbish}`, 'To account **** 3000');
  expect(await harness.events(id)).toEqual(['payments.credits.initiated']);
});

test('a credit that two accept at the same moment is paid once', async () => {
  const harness = await start();
  const { id, link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  await customer.submit('bank', iban);
  const twin = new CustomerBrowser(link);
  twin.cookie = customer.cookie;
  await twin.open();
  await Promise.all([customer.submit('accept'), twin.submit('accept')]);
  expect([customer.status, twin.status].toSorted()).toEqual([200, 410]);
  expect(await harness.events(id)).toEqual(['payments.credits.initiated', 'payments.credits.completed']);
});

test('a customer can change the account before accepting', async () => {
  const harness = await start();
  const { link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  await customer.submit('accept');
  expect(customer.text).toContain('Where should the money go?');
  await customer.submit('bank', iban);
  await customer.submit('change');
  expect(customer.text).toContain('Where should the money go?');
  await customer.submit('bank', { kind: 'us', routing: '110000000', account: '000123456789' });
  expect(customer.text).toContain('To account **** 6789');
});

test('invalid bank details are shown again with the reason, and are not kept', async () => {
  const harness = await start();
  const { link } = await makeLink(harness);
  const customer = await new CustomerBrowser(link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  await customer.submit('bank', { kind: 'iban', iban: 'DE88370400440532013000' });
  expect(customer.status).toBe(422);
  expect(customer.page).toContain('value="DE88370400440532013000"');
  expect(customer.page).toMatch(/id="iban"[^>]*aria-invalid="true" autofocus/);
  expect(customer.text).toContain('This is not a valid IBAN.');
  await customer.submit('bank', iban);
  const rows = await harness.gateway.credits.list({ limit: 1 });
  expect(JSON.stringify(rows)).not.toContain('37040044');
  expect(JSON.stringify(harness.runtime.journal.since())).not.toContain('37040044');
});

test('a credit fails if the bank refuses it (B96, B105)', async () => {
  const harness = await start();
  const byNumber = await makeLink(harness);
  const customer = await new CustomerBrowser(byNumber.link).open();
  await customer.submit('answer', { answer: 'sky blue' });
  await customer.submit('bank', { kind: 'iban', iban: 'DE62370400440532013001' });
  await customer.submit('accept');
  expect(customer.text).toContain('The bank refused the payment Nothing was paid.');
  expect(await harness.events(byNumber.id)).toEqual([
    'payments.credits.initiated',
    'payments.credits.failed',
  ]);

  const byTest = await makeLink(harness);
  await harness.control('POST', `/control/credits/${byTest.id}/refuse`, { reason: 'closed' });
  const { body } = await harness.control('POST', `/control/credits/${byTest.id}/accept`, iban);
  expect(body).toMatchObject({ state: 'failed', why: 'the bank refused: closed' });
});

test('an operator can let a link run out, and a credit that has ended stays as it is', async () => {
  const harness = await start();
  const { id, link } = await makeLink(harness);
  expect((await harness.control('POST', `/control/credits/${id}/expire`)).body.state).toBe('expired');
  expect((await new CustomerBrowser(link).open()).status).toBe(410);
  for (const path of ['expire', 'refuse'])
    expect((await harness.control('POST', `/control/credits/${id}/${path}`)).status).toBe(409);
  expect((await harness.control('POST', `/control/credits/${id}/accept`, iban)).status).toBe(409);
  const wrong = await harness.control('POST', `/control/credits/${id}/accept`, { kind: 'iban', iban: 'DE1' });
  expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'iban' }] } });
  for (const path of ['', '/expire', '/refuse'])
    expect((await harness.control(path ? 'POST' : 'GET', `/control/credits/nobody${path}`)).status).toBe(404);
});

test('a link keeps its full time if the clock is set forward just after it was made (B122)', async () => {
  const harness = await start();
  const stop = harness.runtime.journal.listen(({ kind }) => {
    if (kind !== 'credit.changed') return;
    stop();
    harness.clock.setWallClock(400 * day);
  });
  const { id } = await makeLink(harness);
  await harness.clock.advance(1_000);
  expect(await harness.gateway.credits.get(id)).toMatchObject({ state: 'initiated' });
});

test('a credit cannot be captured or refunded, as a debit can (B92)', async () => {
  const harness = await start();
  const { id } = await makeLink(harness);
  expect((await harness.refund(id, 1)).body.error).toBe('debitNotPaidByCreditCard');
  expect((await harness.capture(id)).body.error).toBe('debitNotFound');
});

test('the cookie of a page over https is never sent over http', async () => {
  const cookieAt = async (publicUrl: string) => {
    const harness = await start({ gateway: { publicUrl } });
    const { pathname } = new URL((await makeLink(harness)).link);
    return (await new CustomerBrowser(harness.gateway.url + pathname).open()).headers.get('set-cookie');
  };
  expect(await cookieAt('https://pay.example.com')).toMatch(/; Secure$/);
  expect(await cookieAt('http://pay.example.com')).not.toContain('Secure');
});

test('every page has the headers that protect it from other sites', async () => {
  const harness = await start();
  const customer = await new CustomerBrowser((await makeLink(harness)).link).open();
  expect(Object.fromEntries(customer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-language': 'en',
  });
  expect(customer.headers.get('content-security-policy')).not.toContain('unsafe');
  expect(customer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(customer.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict/);
  expect(customer.page).not.toMatch(/ style=| on[a-z]+=|<style|<script>/);
  const files = [...customer.page.matchAll(/(?:href|src)="(\/pay\/assets\/[^"]+)"/g)].map(([, path]) => path);
  expect(files).toHaveLength(2);
  for (const path of files) {
    const response = await fetch(harness.gateway.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toContain('immutable');
  }
  expect((await fetch(`${harness.gateway.url}/pay/assets/other.js`)).status).toBe(404);
});

test.each([
  ['de-CH,de;q=0.9', 'de', '25,50 €', 'Zuerst eine Frage'],
  ['fr', 'fr', '25,50 €', 'D’abord une question'],
  ['fi, es;q=0.5, en;q=0.4', 'es', '25,50 €', 'Primero una pregunta'],
  ['it-IT', 'it', '25,50 €', 'Prima una domanda'],
  ['nl', 'nl', '€ 25,50', 'Eerst een vraag'],
  ['ja', 'en', '€25.50', 'A question first'],
  ['*', 'en', '€25.50', 'A question first'],
  ['nonsense;;;q=9', 'en', '€25.50', 'A question first'],
])('a browser that sends %s gets the page in %s (B20, B97)', async (accepted, language, amount, heading) => {
  const harness = await start();
  const customer = await new CustomerBrowser((await makeLink(harness)).link, accepted).open();
  expect(customer.page).toContain(`<html lang="${language}">`);
  expect(customer.text).toContain(amount);
  expect(customer.text).toContain(heading);
});

test.each([
  ['a form that is JSON', { 'content-type': 'application/json' }, '{}', 415],
  [
    'a field sent twice',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'step=answer&csrf=a&csrf=b',
    400,
  ],
  ['a step that is none', { 'content-type': 'application/x-www-form-urlencoded' }, 'step=pay&csrf=a', 400],
  ['bad percent-encoding', { 'content-type': 'application/x-www-form-urlencoded' }, 'step=%zz', 400],
  ['too large a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'x'.repeat(100_001), 413],
])('%s is refused', async (_what, headers, body, status) => {
  const harness = await start();
  const { link } = await makeLink(harness);
  expect((await fetch(link, { method: 'POST', headers, body })).status).toBe(status);
});
