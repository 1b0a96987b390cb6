import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type FaultName, faultTitles } from '../../console/page/trouble/fault-words.ts';
import { faultableRequests } from '../../console/page/trouble/requests.ts';
import { loadOpenapiDocument } from '../../gateway/index.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { openConsole } from './open-console.ts';

const testInChromium = testWith('/usr/bin/chromium');
const testInChromiumInCi = testThoroughly('/usr/bin/chromium');

/** Opens a console that shows which faults are going to happen. */
async function openTrouble(options: Parameters<typeof openConsole>[0] = {}) {
  const opened = await openConsole(options);
  await opened.page.getByRole('link', { name: 'What goes wrong' }).click();
  await opened.page.getByText('Nothing is set').waitFor();
  return opened;
}

const setNow = (page: Page) => page.getByRole('region', { name: 'What goes wrong next' });

test('faults are offered for requests that exist in the API', async () => {
  const { paths } = (await loadOpenapiDocument('http://127.0.0.1')) as { paths: Record<string, object> };
  const shape = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
  const known = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${shape(path)}`),
  );
  for (const { method, path } of Object.values(faultableRequests))
    if (path) expect(known).toContain(`${method} ${shape(path)}`);
});

testInChromium(
  'the next payment is declined for the chosen reason, once, and then nothing is set',
  async () => {
    const { page, harness, complaints } = await openTrouble();
    const host = page.getByRole('region', { name: 'The issuer’s answer' });
    await host.getByLabel('because').selectOption({ label: '210 Not enough balance (NOT_ENOUGH_BALANCE)' });
    await host.getByRole('button', { name: 'Set the answer' }).click();
    await setNow(page).getByText('declined: Not enough balance (210), the next payment').waitFor();
    const paid = harness.pay(12);
    await harness.until('presentCard');
    await harness.act('tap', { card: 'visa-credit' });
    const { body } = await paid;
    expect(body.response.additionalResponse).toMatchObject({ refusalReason: '210 Not enough balance' });
    await page.getByText('Nothing is set').waitFor();
    expect(complaints).toEqual([]);
  },
);

testInChromiumInCi(
  'the answer to one payment under way is set by keyboard alone, and taken back',
  async () => {
    const { page, harness } = await openTrouble();
    const paid = harness.pay(7);
    await harness.until('presentCard');
    const subject = page.getByRole('combobox', { name: 'For', exact: true });
    await expect.poll(() => subject.locator('option').count()).toBe(3);
    await subject.focus();
    await page.keyboard.press('End'); // scrolls to the payments, which are below the terminals
    await page.keyboard.press('Tab');
    await page.keyboard.press('n'); // this request is never answered
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await setNow(page).getByText('the host never answers').waitFor();
    await page.getByRole('button', { name: /^Undo: Payment/ }).press('Enter');
    await page.getByText('Nothing is set').waitFor();
    await harness.act('tap', { card: 'visa-credit' });
    expect((await paid).body.response.result).toBe('success');
  },
);

testInChromium('an answer is lost on its way, once', async () => {
  const { page, harness } = await openTrouble();
  await page.getByRole('button', { name: 'Set the fault' }).click();
  await setNow(page).getByText('The answer is lost').waitFor();
  const paid = harness.pay(5, {}, { 'idempotency-key': 'sale-1' }).catch(() => 'lost');
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  expect(await paid).toBe('lost');
  await page.getByText('Nothing is set').waitFor();
  const { status } = await harness.http('GET', '/payment-requests/status?idempotencyKey=sale-1');
  expect(status).toBe(200);
});

testInChromiumInCi(
  'every kind of fault but holdAnswer is set with what it takes, and listed (B293)',
  async () => {
    const { page, harness, complaints } = await openTrouble();
    const account = harness.stack.terminals[0]?.account;
    await harness.control('POST', '/webhooks', { id: 'pos', accountId: account, url: 'http://127.0.0.1:9/' });
    const form = page.getByRole('region', { name: 'On the way to the gateway and back' });
    const what = form.getByLabel('What happens');
    const kinds = await what
      .locator('option')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    const all = Object.keys(faultTitles).filter((kind) => kind !== 'holdAnswer');
    expect(kinds.toSorted()).toEqual(all.toSorted());
    for (const kind of all) {
      await what.selectOption(kind);
      await form.getByLabel('first let through').fill('3');
      await form.getByRole('button', { name: 'Set the fault' }).click();
      await setNow(page)
        .getByText(faultTitles[kind as FaultName])
        .waitFor();
    }
    await what.selectOption('truncateAnswer');
    await form.getByLabel('after bytes').fill('7');
    await form.getByLabel('how often').selectOption('all');
    await form.getByRole('button', { name: 'Set the fault' }).click();
    await setNow(page).getByText('after 7 bytes').waitFor();
    await what.selectOption('duplicateEvent');
    await form.getByRole('combobox', { name: 'to', exact: true }).selectOption('pos');
    await form.getByRole('button', { name: 'Set the fault' }).click();
    await setNow(page).getByText('The event comes twice (to pos), after 3 more, until you undo it').waitFor();
    await what.selectOption('slowAnswer');
    await form.getByLabel('bytes in a second').fill('a lot');
    await form.getByRole('button', { name: 'Set the fault' }).click();
    await form.getByText('Type a whole number of bytes').waitFor();
    const { body } = await harness.control<object[]>('GET', '/faults');
    expect(body).toHaveLength(all.length + 2);
    expect(body.at(-2)).toMatchObject({ fault: 'truncateAnswer', bytes: 7, after: 3, times: null });
    expect(body.at(-1)).toMatchObject({ fault: 'duplicateEvent', endpointId: 'pos', after: 3, times: null });
    expect(complaints).toEqual([]);
  },
);

testInChromiumInCi('a console may not have the time of the whole gateway stand still (B293)', async () => {
  const { page, harness } = await openTrouble();
  const set = (fault: string) =>
    page.evaluate<number>(`fetch('/control/faults', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fault: '${fault}' }),
    }).then(({ status }) => status)`);
  expect([await set('holdAnswer'), await set('cutTheRope'), await set('dropAnswer')]).toEqual([
    403, 400, 201,
  ]);
  const clock = (what: string) =>
    page.evaluate<number>(`fetch('/control/clock/${what}', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"console"}',
    }).then(({ status }) => status)`);
  expect([await clock('hold'), await clock('release')]).toEqual([403, 403]);
  expect(await harness.control('POST', '/faults', { fault: 'holdAnswer' })).toMatchObject({ status: 201 });
});

testInChromiumInCi('what is wrong with terminals stays visible until everything is reset', async () => {
  const { page, harness } = await openTrouble();
  const terminal = page.getByRole('group', { name: harness.poiId });
  await terminal.getByRole('button', { name: 'Pull the cable' }).click();
  await setNow(page).getByText('the network cable is out').waitFor();
  await terminal.getByLabel('Seconds each way').fill('2');
  await terminal.getByRole('button', { name: 'Slow the network' }).click();
  await setNow(page).getByText('every message takes 2 s each way').waitFor();
  await page
    .getByRole('group', { name: harness.terminal(1).poiId })
    .getByRole('button', { name: 'Cut the power' })
    .click();
  await setNow(page).getByText('its power is off').waitFor();
  await page.getByRole('button', { name: 'Undo everything' }).click();
  await page.getByText('Nothing is set').waitFor();
  expect(harness.journal('terminal.network').map(({ data }) => data)).toMatchObject([
    { up: false },
    { up: true },
  ]);
});

testInChromiumInCi(
  'a network that comes and goes is listed until it is over, and is taken back also while it is up',
  async () => {
    const { page, harness } = await openTrouble();
    const terminal = page.getByRole('group', { name: harness.poiId });
    const flapping = setNow(page).getByText('the network breaks 3 times: gone for 2 s, back for 5 s');
    await terminal.getByRole('button', { name: 'Break the network 3 times' }).click();
    await flapping.waitFor();
    expect(await setNow(page).getByText('the network cable is out').count()).toBe(0);
    await harness.clock.advance(16_000);
    await page.getByText('Nothing is set').waitFor();
    await terminal.getByRole('button', { name: 'Break the network 3 times' }).click();
    await flapping.waitFor();
    await harness.clock.advance(3_000);
    await setNow(page).getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('Nothing is set').waitFor();
    const before = harness.journal('terminal.network').length;
    await harness.clock.advance(60_000);
    expect(harness.journal('terminal.network')).toHaveLength(before);
  },
);

testInChromiumInCi(
  'the power goes between the approval and its answer, once, and the books agree',
  async () => {
    const { page, harness } = await openTrouble();
    const form = page.getByRole('region', { name: 'At a moment of a payment' });
    const choice = (name: string) => form.getByRole('combobox', { name, exact: true });
    await expect.poll(() => choice('at').inputValue()).toBe('pin');
    await choice('Of').selectOption(harness.poiId);
    await choice('at').selectOption('approvalReceived');
    await form.getByText('if the host has approved it, the approval is reversed').waitFor();
    await form.getByRole('button', { name: 'Set it' }).click();
    await setNow(page)
      .getByText('the terminal loses its power at approvalReceived, at the next payment')
      .waitFor();
    const paid = harness.pay(9);
    await harness.until('presentCard');
    await harness.act('tap', { card: 'visa-credit' });
    await setNow(page).getByText('its power is off').waitFor();
    await expect.poll(() => setNow(page).getByText('the terminal loses its power').count()).toBe(0);
    await setNow(page)
      .getByRole('button', { name: /^Undo: V400m/ })
      .click();
    expect((await paid).body.response.errorCondition).toBe('deviceOut');
    await page.getByText('Nothing is set').waitFor(); // the next button may move until the list above it is empty
    await form.getByRole('button', { name: 'Set it' }).click();
    await setNow(page)
      .getByRole('button', { name: /^Undo: V400m.*the terminal loses its power/ })
      .click();
    await page.getByText('Nothing is set').waitFor();
  },
);

testInChromiumInCi(
  'what pauses at a moment is shown, and goes on from the console, which cannot set that',
  async () => {
    const { page, harness } = await openTrouble();
    await harness.control('PUT', '/moments/presentCard', { action: 'pause' });
    await setNow(page).getByText('everything pauses at presentCard').waitFor();
    const paid = harness.pay(9);
    await setNow(page).getByText('is paused at presentCard').waitFor();
    await setNow(page).getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Nothing is set').waitFor();
    await harness.act('tap', { card: 'visa-credit' });
    expect((await paid).body.response.result).toBe('success');
    const actions = page
      .getByRole('region', { name: 'At a moment of a payment' })
      .getByLabel('this happens:');
    expect(await actions.locator('option').count()).toBe(3);
    const refused = await page.evaluate(async () => {
      const body = JSON.stringify({ action: 'pause' });
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/control/moments/pin', { method: 'PUT', headers, body })).status;
    });
    expect(refused).toBe(403);
  },
);

testInChromiumInCi('what will follow is said of everything that can happen at a moment', async () => {
  const { page } = await openTrouble();
  const form = page.getByRole('region', { name: 'At a moment of a payment' });
  const happens = form.getByRole('combobox', { name: 'this happens:', exact: true });
  await form.getByText('What follows when it is back: the payment fails, and no money is taken.').waitFor();
  await happens.selectOption('networkOff');
  await form.getByText('What follows: the terminal goes on without the network.').waitFor();
  await happens.selectOption('cutConnection');
  await form.getByText('What follows: the payment goes on, and your POS has to ask.').waitFor();
});

testInChromiumInCi('what happens at a moment lets some pass, and happens as often as was said', async () => {
  const { page, harness } = await openTrouble();
  const form = page.getByRole('region', { name: 'At a moment of a payment' });
  await form.getByLabel('first let through').fill('one');
  await form.getByRole('button', { name: 'Set it' }).click();
  await form.getByText('Type the number of payments before the action, such as 0').waitFor();
  await form.getByLabel('first let through').fill('2');
  await form.getByLabel('how often').selectOption({ label: '3 times' });
  await form.getByRole('button', { name: 'Set it' }).click();
  await setNow(page).getByText('the terminal loses its power at pin').waitFor();
  const { body } = await harness.control<{ set: object[] }>('GET', '/moments');
  expect(body.set).toMatchObject([{ moment: 'pin', action: 'powerOff', after: 2, times: 3 }]);
});

testInChromiumInCi('a fault is set for one account where there are several', async () => {
  const { page, harness } = await openTrouble();
  const form = page.getByRole('region', { name: 'On the way to the gateway and back' });
  expect(await form.getByLabel('of account').count()).toBe(0);
  await harness.control('POST', '/accounts', { id: 'bakery', name: 'Bakery', currency: 'EUR' });
  await form.getByLabel('of account').selectOption({ label: 'Bakery' });
  await form.getByRole('button', { name: 'Set the fault' }).click();
  await setNow(page).getByText('of bakery').waitFor();
  const { body } = await harness.control<object[]>('GET', '/faults');
  expect(body).toMatchObject([{ fault: 'dropAnswer', accountId: 'bakery' }]);
});

testInChromiumInCi('the virtual clock is moved by a stretch and to a moment, never back', async () => {
  const { page, harness } = await openTrouble();
  const clock = page.getByRole('region', { name: 'The clock' });
  const before = harness.clock.now();
  await clock.getByRole('button', { name: '+ 150 s' }).click();
  await expect.poll(() => harness.clock.now()).toBe(before + 150_000);
  await clock.getByText(/happened meanwhile/).waitFor();
  const moment = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  const target = Math.ceil((before + 3_600_000) / 1000) * 1000;
  await clock.getByLabel('To (UTC)').fill(moment(before));
  await clock.getByRole('button', { name: 'Go there' }).click();
  await clock.getByText('Time does not go back').waitFor();
  await clock.getByLabel('To (UTC)').fill(moment(target));
  await clock.getByRole('button', { name: 'Go there' }).click();
  await expect.poll(() => harness.clock.now()).toBe(target);
  await clock.getByText(moment(target).replace('T', ' ')).waitFor();
});

testInChromium('magic amounts are listed; nothing is wider than a phone, in darkness too', async () => {
  const { page } = await openTrouble({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  const amount = page.getByRole('row', { name: /…1\.24/ });
  expect(await amount.innerText()).toContain('210 Not enough balance');
  expect(await page.evaluate<number>('document.getElementById("main").scrollWidth')).toBeLessThanOrEqual(390);
});

testInChromium('what clients send is text here, whatever it looks like', async () => {
  const { page, harness, complaints } = await openTrouble();
  const fault = { fault: 'dropAnswer', path: '/<img/src=x/onerror=alert(1)>', times: null };
  expect((await harness.control('POST', '/faults', fault)).status).toBe(201);
  await setNow(page).getByText('/<img/src=x/onerror=alert(1)>').waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});
