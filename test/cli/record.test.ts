import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { parse } from 'yaml';
import { findScenarios, runScenario } from '../../scenarios/index.ts';
import { followJournal } from '../../stack/index.ts';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';

const testInCi = testThoroughly();

/** Records requests of a point of sale at a running gateway, but no payments. Then runs the recording. */

let folder: string;
const running: PinpadProcess[] = [];
const closing: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-record-'));
});
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  for (const close of closing.splice(0)) close();
  rmSync(folder, { recursive: true, force: true });
});

function pinpad(...args: string[]): PinpadProcess {
  const started = new PinpadProcess([...args, '--data', join(folder, 'data')]);
  running.push(started);
  return started;
}

/** Resolves once a gateway's journal has `wanted` entries of a kind. */
function journaled(gateway: ReadyPinpad, kind: string, wanted: number): Promise<void> {
  const stop = new AbortController();
  let count = 0;
  return followJournal({ ...gateway, signal: stop.signal, since: 0 }, (entry) => {
    if (entry.kind === kind && ++count === wanted) stop.abort();
  }).catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
}

function caller({ url, token, controlToken }: ReadyPinpad) {
  return async <Body = Record<string, string>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Body> => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${path.startsWith('/control') ? controlToken : token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return (text === '' ? {} : JSON.parse(text)) as Body;
  };
}

/** Makes a receiver that accepts every message. */
async function receiver() {
  const types: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    types.push((JSON.parse(body) as { type: string }).type);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, types };
}

testInCi(
  'a recording of charges, refunds, links, webhooks and helpers plays again with the same results',
  {
    timeout: 60_000,
  },
  async () => {
    const gateway = await pinpad('up', '--json', '--port', '0', '--pacing', 'instant').ready();
    const call = caller(gateway);
    const hook = await receiver();
    await call('POST', '/control/webhooks', { id: 'pos', accountId: 'demo-shop', url: hook.url });
    const file = join(folder, 'recorded.yaml');
    const recording = pinpad('record', file);
    await recording.printed('Ctrl-C ends');

    const to = { to_bank_account_id: 'demo-bank-account', statement: 'ORDER 7' };
    const card = (id: string) => `/contact/demo-customer/creditCards/${id}`;
    const { debit_id: debit } = await call('POST', `${card('demo-visa')}/charge`, { amount: 25, ...to });
    const { id: refund } = await call('POST', `/debit/${debit}/refunds`, {
      amount: 10,
      reason: 'customer_request',
    });
    await call('POST', `/control/refunds/${refund}/fail`, { reason: 'account closed' });
    await call('GET', `/debit/${debit}/refunds`);
    const { debit_id: hold } = await call('POST', `${card('demo-visa')}/preauthorize`, { amount: 80, ...to });
    await call('POST', `/debit/${hold}/capture`);
    await call('POST', `${card('demo-insufficient-funds')}/charge`, { amount: 5, ...to });
    const { identifier: credit } = await call('PUT', '/credit', {
      amount: 12.5,
      statement: 'DEPOSIT',
      contact_id: 'demo-customer',
      from_bank_account: 'demo-bank-account',
    });
    await call('POST', `/control/credits/${credit}/accept`, { kind: 'iban', iban: 'DE89370400440532013000' });
    await call('GET', `/terminals`);
    await journaled(gateway, 'webhook.attempted', 8);
    expect(await recording.stop()).toMatchObject({ code: 0 });

    const text = readFileSync(file, 'utf8');
    const { needs, steps } = parse(text) as {
      needs: Record<string, unknown>;
      steps: Record<string, unknown>[];
    };
    expect(needs).toMatchObject({
      contacts: [{ id: 'demo-customer', cards: expect.arrayContaining([{ id: 'demo-visa', card: 'visa' }]) }],
      bankAccounts: [{ id: 'demo-bank-account' }],
      webhooks: ['pos'],
    });
    expect(steps).toContainEqual({
      control: 'POST /refunds/<refund.answer.body.id>/fail',
      body: { reason: 'account closed' },
    });
    expect(steps).toContainEqual(expect.objectContaining({ 'send link': 12.5, statement: 'DEPOSIT' }));
    // Events of different resources do not wait for each other. So in a recording, their order may differ from the
    // order in which the receiver got them.
    const webhooks = steps.flatMap(({ expect: wish }) => (wish as { webhooks?: string[] })?.webhooks ?? []);
    expect(webhooks.toSorted()).toEqual(hook.types.toSorted());
    expect(text).not.toMatch(/\/pay\/|test_|control_|whsec_/);

    const [scenario] = findScenarios([file]);
    if (!scenario) throw new Error('there is no scenario');
    const { failure, journal } = await runScenario(scenario);
    expect(failure).toBeUndefined();
    const ends = journal.flatMap(({ kind, data }) =>
      kind === 'debit.changed' && 'state' in data ? [data.state] : [],
    );
    expect(ends).toEqual(['paid', 'preauthorized', 'paid', 'failed']);
  },
);

testInCi('a recording is written even if the gateway is killed', { timeout: 60_000 }, async () => {
  const gateway = pinpad('up', '--json', '--port', '0', '--pacing', 'instant');
  const ready = await gateway.ready();
  const file = join(folder, 'new/killed.yaml');
  const recording = pinpad('record', file);
  await recording.printed('Ctrl-C ends');
  const charge = { amount: 25, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 8' };
  await caller(ready)('POST', '/contact/demo-customer/creditCards/demo-visa/charge', charge);
  await journaled(ready, 'http.answered', 1);
  gateway.child.kill('SIGKILL');
  const { code, stderr } = await recording.ended();
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('connection') });
  expect(parse(readFileSync(file, 'utf8')).steps[0]).toMatchObject({ charge: 25 });
});
