import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { testWith } from '../optional-programs.ts';
import { pythonPath } from '../python.ts';
import { until } from '../until.ts';

/** The points of sale that `pinpad explore` is shown by: without a bug they sell, and with it one fault is enough. */

const testWithPython = testWith('python3');
const folder = join(import.meta.dirname, 'drivers');
const pay = { method: 'POST', path: '/terminals/{terminalId}/payment-request' };

interface Sale {
  kind: string;
  outcome: string;
  charged: number | null;
  beliefs: { believes: string; amount: number | null; times: number | null }[];
}

async function shop(more: Pick<Overrides, 'timeouts' | 'clock'> = {}) {
  const options = { port: 0, memory: true, pacing: 'instant', logLevel: 'silent', ...more } as const;
  const stack = await startStack(resolveConfig(undefined, options));
  onTestFinished(() => stack.close());
  const control = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const answer = await fetch(`${stack.url}/control${path}`, {
      method,
      headers: { authorization: `Bearer ${stack.controlToken}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (answer.status === 204 ? undefined : await answer.json()) as Body;
  };
  const [terminal] = stack.terminals;
  await control('PUT', `/terminals/${terminal?.poiId}/shopper`, {
    card: 'visa-credit',
    entry: 'Contactless',
  });
  /** The first first. */
  const sales = async () => (await control<{ sales: Sale[] }>('GET', '/sales?limit=100')).sales.toReversed();
  return { stack, control, sales, poiId: terminal?.poiId };
}
type Shop = Awaited<ReturnType<typeof shop>>;
type Overrides = Parameters<typeof resolveConfig>[1] & object;

/** How often this happened to requests that look like this. */
function count({ stack }: Shop, kind: string, like: RegExp): number {
  const entries = stack.runtime.journal.since().filter((entry) => entry.kind === kind);
  return entries.filter(({ data }) => like.test(JSON.stringify(data))).length;
}

/** Virtual time passes in small steps until something is so. */
async function passUntil({ control }: Shop, isSo: () => boolean): Promise<void> {
  while (!isSo()) await control('POST', '/clock/advance', { ms: 250 });
}

function start({ stack }: { stack: Stack }, driver: string, more: NodeJS.ProcessEnv = {}) {
  const good = driver.endsWith(' good');
  const [file = ''] = driver.split(' ');
  const child = spawn(pythonPath(), ['-B', join(folder, `${file}.py`), ...(good ? ['good'] : [])], {
    env: {
      PATH: process.env.PATH,
      PINPAD_URL: stack.url,
      PINPAD_TOKEN: stack.tokens[0]?.token,
      PINPAD_TERMINAL: stack.terminals[0]?.identifier,
      PINPAD_CONTROL_TOKEN: stack.controlToken,
      PINPAD_BELIEFS_URL: stack.beliefs[0]?.url,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text));
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(said)));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { ended, isOver: () => child.exitCode !== null, kill: () => child.kill('SIGKILL') };
}

/** What was taken for each sale since there were so many, and what the shop believes of it; of those that are about money. */
async function told({ sales }: Shop, before: number) {
  const since = async () => (await sales()).slice(before);
  const open = async () => (await since()).filter(({ outcome }) => outcome === 'open').length;
  await expect.poll(open, { timeout: 60_000 }).toBe(0);
  return (await since())
    .filter(({ kind, beliefs, charged }) => kind !== 'refund' && (charged !== 0 || beliefs.length > 0))
    .map(({ charged, beliefs }) => {
      const { believes, amount, times } = beliefs.at(-1) ?? {
        believes: 'nothing',
        amount: null,
        times: null,
      };
      return { charged, believes, amount, times };
    });
}

/** What a fault makes of a sale at 12.50, with the bug and without it. */
const unpaid = { believes: 'notPaid', charged: 12.5 };
const paid = { believes: 'paid', charged: 12.5, amount: 12.5 };
const twice = { believes: 'paid', charged: 25, amount: 12.5 };

const lost = { fault: 'dropAnswer', ...pay };
const withFault = [
  ['no_key', lost, twice],
  ['new_key', lost, twice],
  ['trusts_abort', lost, unpaid],
  ['aborts_success', lost, unpaid],
  ['reads_5xx', { fault: 'failAnswer', ...pay }, unpaid],
] as const;

const drivers = readdirSync(folder)
  .filter((file) => file.endsWith('.py'))
  .filter((file) => readFileSync(join(folder, file), 'utf8').startsWith('"""Planted bug: '))
  .map((file) => file.replace('.py', ''));

test('twelve of them say in their first line which bug is planted in them', () => {
  expect(drivers).toHaveLength(12);
});

test('the 21 points of the prototype have names, each another', () => {
  const text = readFileSync(join(import.meta.dirname, 'prototype-points.txt'), 'utf8');
  const points = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(new Set(points).size).toBe(21);
  for (const point of points) expect(point).toMatch(/^[a-zA-Z]+(-\w+)?@[a-zA-Z-]+(\.(\d+|all))?$/);
});

testWithPython('without a fault each of them sells, and believes what is true', async () => {
  const here = await shop();
  const good = ['trusts_abort', 'reused_key', 'blind_refund', 'doubled_event'].map((name) => `${name} good`);
  for (const driver of ['careful', 'naive', ...drivers, ...good]) {
    const before = (await here.sales()).length;
    const said = await start(here, driver).ended;
    const back = driver.startsWith('blind_refund') ? 5 : 0;
    const sale = { believes: 'paid', amount: 12.5 - back };
    const all = await told(here, before);
    expect(all, `${driver}: ${said}`).toMatchObject(driver.startsWith('reused_key') ? [sale, sale] : [sale]);
    const takes = !driver.startsWith('doubled_event') && back === 0;
    if (takes) expect(all.map(({ charged }) => charged)).toEqual(all.map(() => 12.5));
  }
});

describe('with one fault', () => {
  testWithPython.each(withFault)(
    '%s goes wrong, and without its bug it does not',
    async (driver, fault, wrong) => {
      const here = await shop();
      for (const [name, expected] of [
        [driver, wrong],
        [`${driver} good`, paid],
      ] as const) {
        const before = (await here.sales()).length;
        await here.control('POST', '/faults', fault);
        const said = await start(here, name).ended;
        const taken = async () =>
          (await here.sales()).slice(before).some(({ charged }) => (charged ?? 0) > 0);
        await expect.poll(taken, { timeout: 60_000 }).toBe(true);
        expect(await told(here, before), `${name}: ${said}`).toMatchObject([expected]);
      }
    },
  );

  testWithPython('redirects takes what comes behind a 303 for a sale that is not paid', async () => {
    const timeouts = { paymentCapMs: 1_000, statusHoldMs: 500 };
    for (const [name, expected] of [
      ['redirects', unpaid],
      ['redirects good', paid],
    ] as const) {
      const here = await shop({ clock: 'virtual', timeouts });
      const outcome = { type: 'late', delayMs: 20_000 };
      await here.control('PUT', `/terminals/${here.poiId}/outcome`, { outcome });
      const { ended, isOver } = start(here, name);
      await until('the request has come', () => count(here, 'http.received', /payment-request"/) > 0);
      await passUntil(here, () => count(here, 'http.answered', /"status":303/) > 0);
      await until('it asks', () => count(here, 'http.received', /status[?]/) > 0);
      await passUntil(here, () => count(here, 'http.answered', /"status":202/) > 0);
      if (expected === paid) await passUntil(here, isOver);
      const said = await ended;
      await passUntil(here, () => count(here, 'payment.concluded', /./) > 0);
      expect(await told(here, 0), `${name}: ${said}`).toMatchObject([expected]);
    }
  });

  testWithPython('not_found takes a request that is late for one that never comes', async () => {
    for (const [name, expected] of [
      ['not_found', unpaid],
      ['not_found good', paid],
    ] as const) {
      const here = await shop({ clock: 'virtual' });
      await here.control('POST', '/faults', { fault: 'delayRequest', delayMs: 20_000, ...pay });
      const { ended, isOver } = start(here, name);
      await until('it has asked', () => count(here, 'http.answered', /"status":404/) > 0);
      if (expected === paid) await passUntil(here, isOver);
      const said = await ended;
      await passUntil(here, () => count(here, 'payment.concluded', /./) > 0);
      expect(await told(here, 0), `${name}: ${said}`).toMatchObject([expected]);
    }
  });

  testWithPython('forgets knows nothing of a sale after a crash', async () => {
    for (const [name, expected] of [
      ['forgets', 'nothing'],
      ['forgets good', 'paid'],
    ] as const) {
      const here = await shop();
      await here.control('POST', '/faults', { fault: 'delayAnswer', delayMs: 600_000, ...pay });
      const { kill, ended } = start(here, name);
      const answered = () => here.stack.runtime.journal.since().some(({ kind }) => kind === 'fault.injected');
      await until('the answer is on its way', answered);
      kill();
      await ended;
      const said = await start(here, name, { PINPAD_RECOVERY: '1' }).ended;
      expect(await told(here, 0), `${name}: ${said}`).toMatchObject([{ charged: 12.5, believes: expected }]);
    }
  });

  testWithPython('reused_key sells twice what is paid once', async () => {
    for (const [name, expected] of [
      ['reused_key', [{ charged: 12.5, amount: 25, times: 2 }]],
      [
        'reused_key good',
        [
          { charged: 12.5, amount: 12.5 },
          { charged: 12.5, amount: 12.5 },
        ],
      ],
    ] as const) {
      const here = await shop();
      await here.control('POST', '/faults', lost);
      const said = await start(here, name).ended;
      expect(await told(here, 0), `${name}: ${said}`).toMatchObject(expected);
    }
  });

  testWithPython('blind_refund gives back twice', async () => {
    for (const [name, refunds] of [
      ['blind_refund', 2],
      ['blind_refund good', 1],
    ] as const) {
      const here = await shop();
      await here.control('POST', '/faults', {
        fault: 'dropAnswer',
        method: 'POST',
        path: '/debit/{debit_id}/refunds',
      });
      const said = await start(here, name).ended;
      const all = await here.stack.gateway.events.list({ limit: 10, type: 'payments.refunds.created' });
      expect(all, `${name}: ${said}`).toHaveLength(refunds);
    }
  });

  testWithPython('doubled_event hands out the goods twice', async () => {
    for (const [name, times] of [
      ['doubled_event', 2],
      ['doubled_event good', 1],
    ] as const) {
      const here = await shop();
      await here.control('POST', '/faults', { fault: 'duplicateEvent' });
      const said = await start(here, name, { PINPAD_LINGERS: '60' }).ended;
      expect(await told(here, 0), `${name}: ${said}`).toMatchObject([{ believes: 'paid', times }]);
    }
  });
});
