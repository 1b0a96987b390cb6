import { afterEach, expect, test } from 'vitest';
import { type ControlHarness, controlHarness } from './control-harness.ts';

/**
 * Cuts the terminal's power after the host has approved a payment and before the terminal answers the gateway (B171).
 * The cut happens at a named step, so the test does not depend on how long that step takes.
 */

let harness: ControlHarness;
afterEach(() => harness.close());

async function setup() {
  harness = await controlHarness();
  const { control, pay } = harness;
  const at = '/control/terminals/V400m-1';
  const until = (state: string) => control('GET', `${at}/screen?until=${state}`);
  const plan = (body: object) => control('PUT', `${at}/power-cut`, body);
  /** Pays with a tap. The terminal may lose its power meanwhile. */
  const tapped = async () => {
    const paid = pay(10);
    await until('presentCard');
    await control('POST', `${at}/tap`, { card: 'visa-credit' });
    return paid;
  };
  const powerOn = () => control('POST', `${at}/power`, { on: true });
  const ledger = async () =>
    (await control('GET', '/control/ledger')).body.map(({ kind }: { kind: string }) => kind).reverse();
  const agree = async () => (await control('GET', '/control/books')).body.agree;
  return { ...harness, at, until, plan, tapped, powerOn, ledger, agree };
}

test('if the power goes when the host has approved, the terminal reverses when it is back', async () => {
  const { control, plan, tapped, until, powerOn, ledger, agree } = await setup();
  expect((await plan({ at: 'approvalReceived' })).status).toBe(200);
  const paid = tapped();
  await until('off');
  const { entries } = (await control('GET', '/control/journal?kind=terminal.power')).body;
  expect(entries[0].data).toEqual({ on: false, at: 'approvalReceived' });
  expect(await ledger()).toEqual(['authorized']);
  await powerOn();
  const { identifier, response } = (await paid).body;
  expect(response).toMatchObject({ result: 'failure', errorCondition: 'deviceOut' });
  const { warnings } = (await control('GET', `/control/payments/${identifier}`)).body;
  expect(warnings).toEqual(['the terminal lost its power at approvalReceived']);
  expect(await ledger()).toEqual(['authorized', 'reversed']);
  expect(await agree()).toBe(true);
});

test('if the power goes when the terminal has stored the approval, it answers when it is back', async () => {
  const { plan, tapped, until, powerOn, ledger, agree } = await setup();
  await plan({ at: 'resultStored' });
  const paid = tapped();
  await until('off');
  await powerOn();
  expect((await paid).body.response.result).toBe('success');
  expect(await ledger()).toEqual(['authorized']);
  expect(await agree()).toBe(true);
});

test('the power goes once, or every time until that is taken back, and not if the host declines', async () => {
  const { control, at, plan, tapped, until, powerOn } = await setup();
  const result = async (paid: Promise<{ body: { response: { result: string } } }>) =>
    (await paid).body.response.result;
  await control('PUT', `${at}/outcome`, { outcome: { type: 'decline' } });
  await plan({ at: 'resultStored' });
  expect(await result(tapped())).toBe('failure');
  await until('idle');
  const cut = tapped();
  await until('off');
  await powerOn();
  expect(await result(cut)).toBe('success');
  await until('idle');
  expect(await result(tapped())).toBe('success');
  await until('idle');
  await plan({ at: 'resultStored', mode: 'always' });
  for (let again = 0; again < 2; again++) {
    const paid = tapped();
    await until('off');
    await powerOn();
    expect(await result(paid)).toBe('success');
    await until('idle');
  }
  await control('DELETE', `${at}/power-cut`);
  expect(await result(tapped())).toBe('success');
});

test('a power cut by hand is in the explanation of the payment during which it came, and of no other', async () => {
  const { control, at, pay, tapped, until, powerOn } = await setup();
  const power = (on: boolean) => control('POST', `${at}/power`, { on });
  const warningsOf = async (paid: Promise<{ body: { identifier: string } }>) =>
    (await control('GET', `/control/payments/${(await paid).body.identifier}`)).body.warnings;
  const before = tapped();
  expect(await warningsOf(before)).toEqual([]);
  await until('idle');
  await power(false);
  await powerOn();
  await until('idle');
  const cut = pay(10);
  await until('presentCard');
  await power(false);
  await powerOn();
  expect(await warningsOf(cut)).toEqual(['the terminal lost its power']);
  expect(await warningsOf(before)).toEqual([]);
  await until('idle');
  expect(await warningsOf(tapped())).toEqual([]);
});
