import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stackHarness } from '../stack/stack-harness.ts';
import { until } from '../until.ts';

/** The operations that need the control token and are forbidden to a browser that signed in to the console (B293). */

/**
 * Starts a gateway that is able to crash, and returns a function that sends requests of a browser signed in to its
 * console.
 */
async function signedIn(more: object = {}) {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-whole-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const harness = await stackHarness({ memory: false, data, ...more });
  const { url, gateway } = harness.stack;
  const own = { 'sec-fetch-site': 'same-origin', origin: url, 'content-type': 'application/json' };
  const code = gateway.consoleLink()?.split('=')[1];
  const signIn = { method: 'POST', headers: own, body: JSON.stringify({ code }) };
  const entered = await fetch(`${url}/console/sign-in`, signIn);
  const cookie = String(entered.headers.get('set-cookie')).split(';')[0] ?? '';
  const console = async (method: string, path: string, body: object) => {
    const headers = { ...own, cookie };
    const answer = await fetch(`${url}/control${path}`, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  return { harness, console };
}

test('an action on the whole gateway is refused with a sentence, and needs the control token (B293)', async () => {
  const { harness, console } = await signedIn();
  const acts: [string, string, object][] = [
    ['POST', '/faults', { fault: 'holdAnswer' }],
    ['PUT', '/moments/before.reply', { action: 'crash' }],
    ['PUT', '/moments/pin', { action: 'pause' }],
    ['POST', '/clock/hold', { name: 'console', maxMs: 1 }],
    ['POST', '/clock/release', { name: 'console' }],
  ];
  for (const [method, path, body] of acts) {
    expect([path, await console(method, path, body)]).toMatchObject([
      path,
      { status: 403, body: { error: 'controlTokenNeeded', message: expect.stringMatching(/whole gateway/) } },
    ]);
    expect([path, (await harness.control(method, path, body)).status]).not.toEqual([path, 403]);
  }
  const { body } = await harness.control<object[]>('GET', '/faults');
  expect(body).toHaveLength(1);
});

test('actions on one account or terminal are allowed, and so is moving time (B293)', async () => {
  const { console } = await signedIn();
  const done = [
    await console('POST', '/faults', { fault: 'dropAnswer' }),
    await console('PUT', '/moments/pin', { action: 'powerOff' }),
    await console('PUT', '/moments/before.reply', { action: 'cutConnection' }),
    await console('POST', '/clock/advance', { ms: 1 }),
  ];
  expect(done.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
});

test('calls of the console that wait for time do not make virtual time move by itself (B270)', async () => {
  const { harness, console } = await signedIn({ clock: 'skipping' });
  const before = harness.clock.now();
  let isOver = false;
  const waiting = console('POST', '/clock/wait', { ms: 60_000 }).finally(() => {
    isOver = true;
  });
  await until('it came', () => harness.clock.nextDue() !== undefined);
  const clock = (await harness.control<{ waiting: object[]; stands: string }>('GET', '/clock')).body;
  expect([clock.waiting, clock.stands]).toEqual([[], 'nothing waits for time to pass']);
  expect([isOver, harness.clock.now()]).toEqual([false, before]);
  await harness.control('POST', '/clock/wait', { ms: 60_000 });
  expect((await waiting).status).toBe(200);
});
