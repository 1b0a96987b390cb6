import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { makeTuiSource } from '../../cli/tui-source.ts';
import { resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { failureReasonOf, paymentAmountText } from '../../terminal-emulator/tui/payment-text.ts';
import { testThoroughly } from '../optional-programs.ts';
import { until } from '../until.ts';

const testInCi = testThoroughly();

/** Tests what the screen shows and changes, on a real stack. */

let stack: Stack | undefined;
afterEach(() => stack?.close());

async function setup(more: object = {}) {
  const config = resolveConfig(undefined, {
    ...{ port: 0, memory: true, pacing: 'instant', logLevel: 'silent' },
    ...more,
  });
  stack = await startStack(config);
  const { emulator, terminals, url, controlToken } = stack;
  if (!emulator) throw new Error('no emulator');
  const source = makeTuiSource(stack, emulator);
  const poiId = terminals[0]?.poiId ?? '';
  const terminal = emulator.terminal(poiId);
  const shows = async (state: string) => {
    const headers = { authorization: `Bearer ${controlToken}` };
    const answer = await fetch(`${url}/control/terminals/${poiId}/screen?until=${state}`, { headers });
    expect(answer.status).toBe(200);
  };
  await shows('idle');
  const troubles = () => source.terminals()[0]?.troubles;
  const last = () => stack?.runtime.journal.since().findLast(({ kind }) => kind === 'payment.concluded');
  /** Rings up a sale and taps a card. Resolves to the outcome that the journal reports. */
  const sell = async (amount: number) => {
    const sold = source.sale(poiId, amount, { tip: false });
    await shows('presentCard');
    terminal?.act({ action: 'tap', card: 'visa-credit' });
    await sold;
    return last();
  };
  const [provisioned] = terminals;
  if (!provisioned) throw new Error('no terminal');
  return { source, poiId, troubles, sell, shows, terminal, provisioned, faults: stack.gateway.faults };
}

testInCi('every trouble on the screen can be set, is shown, and can be taken back', async () => {
  const { source, poiId, troubles } = await setup();
  for (const { id, text, modes } of source.troubles ?? [])
    for (const mode of modes) {
      await source.setTrouble?.(poiId, id, mode);
      expect(troubles()).toEqual([{ id, text, mode }]);
      await source.setTrouble?.(poiId, id, undefined);
      expect(troubles()).toEqual([]);
    }
  expect(source.troubles?.length).toBeGreaterThan(30);
});

test.each([
  ['answerLost', 'Answer lost', '/payment-request after 2'],
  ['moment pin powerOff', 'powerOff at pin', 'after 2'],
])('the trouble %s lets two pass if the screen says so', async (id, text, after) => {
  const { source, poiId, troubles } = await setup();
  await source.setTrouble?.(poiId, id, 'once', 2);
  const [set] = troubles() ?? [];
  expect(set).toMatchObject({ mode: 'once', text: expect.stringContaining(after) });
  expect(set?.text).toContain(text);
  await source.setTrouble?.(poiId, set?.id ?? '', undefined);
  expect(troubles()).toEqual([]);
});

test('a crash at a moment can be set on the screen, and the gateway continues after it', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-screen-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const { source, poiId, troubles, sell } = await setup({ memory: false, data });
  await source.setTrouble?.(poiId, 'moment after.authorized crash', 'once');
  expect(troubles()?.map(({ id, mode }) => [id, mode])).toEqual([['moment after.authorized crash', 'once']]);
  expect((await sell(5))?.data).toMatchObject({ result: 'success' });
  expect(stack?.runtime.journal.since().some(({ kind }) => kind === 'gateway.crashed')).toBe(true);
  await stack?.close();
});

test("the screen shows its terminal's request faults and its account's event faults, and no others", async () => {
  const { source, poiId, troubles, provisioned, faults } = await setup();
  await source.setTrouble?.(poiId, 'answerLate', 'always');
  await source.setTrouble?.(poiId, 'eventLost', 'once');
  const { account, identifier } = provisioned;
  expect(faults.list()).toMatchObject([
    { fault: 'delayAnswer', path: `/terminals/${identifier}/payment-request`, times: null },
    { fault: 'loseEvent', accountId: account, times: 1 },
  ]);
  const add = (more: object) => faults.add({ fault: 'loseEvent', after: 0, times: 1, ...more });
  await add({ accountId: 'somebody-else' });
  const { id } = await add({ accountId: account, endpointId: 'pos', after: 1 });
  expect(troubles()).toEqual([
    { id: 'answerLate', text: 'comes 45 s late', mode: 'always' },
    { id: 'eventLost', text: 'the next event is lost, and sent again', mode: 'once' },
    { id, text: 'Event lost pos after 1', mode: 'once' },
  ]);
  await source.setTrouble?.(poiId, id, undefined);
  await source.setTrouble?.(poiId, 'answerLate', undefined);
  await source.setTrouble?.(poiId, 'eventLost', undefined);
  expect(troubles()).toEqual([]);
  expect(faults.list()).toMatchObject([{ accountId: 'somebody-else' }]);
});

test('a decline with a reason applies only to the next payment', async () => {
  const { source, poiId, sell, shows, troubles } = await setup();
  await source.setTrouble?.(poiId, 'ending125', 'once');
  expect((await sell(5))?.data).toMatchObject({ why: 'the terminal answers refusal: Card blocked (199)' });
  expect(troubles()).toEqual([]);
  await shows('idle');
  expect((await sell(5))?.data).toMatchObject({ result: 'success' });
});

test.each([
  ['answerLost', 'other side closed'],
  ['answer503', '503'],
])('a sale says what it does about a missing answer, and is paid once: %s', async (trouble, reason) => {
  const { source, poiId, shows, terminal } = await setup();
  await source.setTrouble?.(poiId, trouble, 'once');
  const lines: string[] = [];
  const sold = source.sale(poiId, 7, { tip: false, onRecovery: (line) => lines.push(line) });
  await shows('presentCard');
  terminal?.act({ action: 'tap', card: 'visa-credit' });
  await sold;
  expect(lines).toEqual([expect.stringContaining('sending the request again with the same key')]);
  expect(lines[0]).toContain(reason);
  const kinds = stack?.runtime.journal.since().map(({ kind }) => kind);
  expect(kinds?.filter((kind) => kind === 'payment.accepted')).toHaveLength(1);
});

test('payments from before the start are shown with their tip, and the reason of a failure', async () => {
  const { source, poiId, shows, terminal, sell } = await setup();
  const sold = source.sale(poiId, 10, { tip: true });
  await shows('tip');
  terminal?.act({ action: 'press', keys: ['2'] });
  await shows('presentCard');
  terminal?.act({ action: 'tap', card: 'visa-credit' });
  await sold;
  await shows('idle');
  await sell(11.24);
  const earlier = await source.earlier?.();
  expect(earlier?.map((payment) => `${paymentAmountText(payment)} ${failureReasonOf(payment)}`)).toEqual([
    'EUR 11.80, with a tip of 1.80 ',
    'EUR 11.24 refusal: Not enough balance (210)',
  ]);
});

test('a network that comes and goes stops by itself, or when it is taken back', async () => {
  const { source, poiId, troubles } = await setup();
  await source.setTrouble?.(poiId, 'flapping', 'now');
  expect(source.terminals()[0]?.networkUp).toBe(false);
  await source.setTrouble?.(poiId, 'flapping', undefined);
  expect(source.terminals()[0]?.networkUp).toBe(true);
  expect(troubles()).toEqual([]);
});

test('a power cut at the approval can be set on the screen, and the payment is explained with its books', async () => {
  const { source, poiId, shows, terminal } = await setup();
  await source.setTrouble?.(poiId, 'cutAtApproval', 'once');
  const sold = source.sale(poiId, 7, { tip: false });
  await shows('presentCard');
  terminal?.act({ action: 'tap', card: 'visa-credit' });
  await shows('off');
  terminal?.act({ action: 'power', on: true });
  await sold;
  const ended = stack?.runtime.journal.since().findLast(({ kind }) => kind === 'payment.concluded');
  expect(ended?.data).toMatchObject({ errorCondition: 'deviceOut' });
  const account = await source.explain?.(ended?.payment ?? '');
  expect(account).toMatchObject({ moved: '0.00', reported: '0.00', agree: true });
  expect(account?.ledger.map(({ kind }) => kind)).toEqual(['authorized', 'reversed']);
});

test('a moment that the payment does not reach stays set, with its name and effect', async () => {
  const { source, poiId, sell, troubles } = await setup();
  await source.setTrouble?.(poiId, 'moment pin powerOff', 'once');
  expect((await sell(5))?.data).toMatchObject({ result: 'success' });
  const set = troubles()?.[0];
  expect(set).toMatchObject({ mode: 'once', text: expect.stringMatching(/^pin +fails, nothing is taken$/) });
  await source.setTrouble?.(poiId, 'moment pin powerOff', undefined);
  expect(troubles()).toEqual([]);
});

test('a pause can be set, shown and ended on the screen, if time is virtual', async () => {
  const { source, poiId, terminal } = await setup({ clock: 'virtual', seed: 1 });
  await source.setTrouble?.(poiId, 'moment presentCard pause', 'once');
  const sold = source.sale(poiId, 7, { tip: false });
  const pausedAt = () => source.terminals()[0]?.pausedAt;
  await until('the payment is paused', () => pausedAt() !== undefined);
  expect(pausedAt()).toBe('presentCard');
  terminal?.act({ action: 'tap', card: 'visa-credit' });
  await source.setTrouble?.(poiId, 'continue', 'now');
  await sold;
  expect(pausedAt()).toBeUndefined();
});

test('an outcome that the screen does not offer is shown, and can be taken back', async () => {
  const { source, poiId, troubles } = await setup();
  const headers = {
    authorization: `Bearer ${source.facts.controlToken}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ mode: 'always', outcome: { type: 'late', delayMs: 1_234 } });
  await fetch(`${source.facts.gatewayUrl}/control/terminals/${poiId}/outcome`, {
    method: 'PUT',
    headers,
    body,
  });
  expect(troubles()).toEqual([{ id: 'outcome', text: 'late', mode: 'always' }]);
  await source.setTrouble?.(poiId, 'outcome', undefined);
  expect(troubles()).toEqual([]);
});

test('a finding about a request outside of any sale is on the screen, and one about a sale is not (B255)', async () => {
  const { source, provisioned } = await setup();
  const found: string[] = [];
  const stops = [source.onSale(() => {}), source.onFindingWithoutSale?.((what) => found.push(what))];
  const { url } = stack as Stack;
  const order = (token: string) =>
    fetch(`${url}/terminals/${provisioned.identifier}/payment-request`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"paymentTransaction":{"amountsReq":{"requestedAmount":"5"}}}',
    });
  expect((await order(source.facts.apiToken)).status).toBe(400);
  expect((await order('somebody')).status).toBe(401);
  await until('a finding', () => found.length > 0);
  expect(found).toEqual([expect.stringContaining('was refused with 401')]);
  for (const stop of stops) stop?.();
});
