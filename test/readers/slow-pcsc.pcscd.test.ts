import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import {
  startVpcd,
  type Vpcd,
  vpcdDriverPath,
} from '../../terminal-emulator/readers/pcsc/vpcd-reader.fixture.ts';
import { PinpadProcess, type ReadyPinpad } from '../cli/pinpad-process.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';

/**
 * Checks that a card or a PC/SC service that does not answer affects only its own reader, and nothing else in the
 * process (B204).
 */

const smartcard = join(import.meta.dirname, '../../node_modules/smartcard/package.json');
const asRoot = process.getuid?.() === 0 ? [] : ['being root'];
const needs = ['pcscd', smartcard, vpcdDriverPath, ...asRoot];
const test = testWith(...needs);
const timeout = 120_000;
/** The time limit for a request, which is far longer than any request takes in these tests. */
const patienceMs = 30_000;

const up = ['up', '--json', '--port', '0', '--memory', '--pacing', 'instant', '--log-level', 'debug'];

class Gateway {
  readonly pinpad = new PinpadProcess([...up, '--reader', 'pcsc:auto']);
  #ready: Promise<ReadyPinpad> = this.pinpad.ready();

  constructor() {
    this.#ready.catch(() => {}); // a method that waits for this promise throws the error
    onTestFinished(() => void this.pinpad.child.kill('SIGKILL'));
  }

  async request(path: string, body?: object): Promise<unknown> {
    const ready = await this.#ready;
    const token = path.startsWith('/control') ? ready.controlToken : ready.token;
    const response = await fetch(ready.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patienceMs),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return response.json();
  }

  async at(terminal: number, path: string, body?: object): Promise<unknown> {
    const { terminals } = await this.#ready;
    return this.request(`/control/terminals/${terminals[terminal]?.poiId}/${path}`, body);
  }

  async pay(terminal: number): Promise<unknown> {
    const { terminals } = await this.#ready;
    return this.request(`/terminals/${terminals[terminal]?.identifier}/payment-request`, {
      paymentTransaction: { amountsReq: { requestedAmount: 10 } },
    });
  }

  /** Returns the process in which pinpad makes its PC/SC calls. */
  child(): number {
    const { pid } = this.pinpad.child;
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return Number(child);
  }
}

/**
 * Starts a gateway whose first terminal is paying with a card. The card has got a command, and has not answered it yet.
 */
async function withCard(
  card: 'silent' | 'slow',
): Promise<{ gateway: Gateway; vpcd: Vpcd; paid: Promise<unknown> }> {
  const vpcd = await startVpcd();
  const gateway = new Gateway();
  await gateway.pinpad.logged('reader.back');
  const paid = gateway.pay(0);
  paid.catch(() => {});
  await gateway.at(0, 'screen?until=presentCard');
  vpcd.put(card);
  await vpcd.asked();
  return { gateway, vpcd, paid };
}

/**
 * Waits until the process has ended. It may still be listed as a zombie, because the system's first process has not
 * waited for it yet.
 */
const gone = (pid: number) => expect.poll(() => stateOf(pid)).toMatch(/^[ZX]/);

function stateOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
  } catch {
    return 'X';
  }
}

testThoroughly(...needs)(
  'while a card at a PC/SC reader is silent, another terminal can pay, and the next sale begins',
  {
    timeout,
  },
  async () => {
    const { gateway, vpcd, paid } = await withCard('silent');
    await gateway.at(0, 'press', { keys: ['cancel'] });
    expect(await paid).toMatchObject({ response: { errorCondition: 'cancel' } });
    const next = gateway.pay(0);
    await gateway.at(0, 'screen?until=presentCard');
    const other = gateway.pay(1);
    await gateway.at(1, 'screen?until=presentCard');
    await gateway.at(1, 'tap', { card: 'visa-credit' });
    expect(await other).toMatchObject({ response: { result: 'success' } });
    vpcd.speak();
    expect(await next).toMatchObject({ response: { result: 'success' } });
  },
);

testThoroughly(...needs)(
  'while a card at a PC/SC reader takes 8 s to answer, another terminal can pay, and then the card pays',
  {
    timeout,
  },
  async () => {
    const { gateway, vpcd, paid } = await withCard('slow');
    const other = gateway.pay(1);
    await gateway.at(1, 'screen?until=presentCard');
    await gateway.at(1, 'tap', { card: 'visa-credit' });
    expect(await other).toMatchObject({ response: { result: 'success' } });
    expect(vpcd.answers()).toBe(0);
    expect(await paid).toMatchObject({ response: { result: 'success' } });
    expect(vpcd.answers()).toBe(1);
  },
);

testThoroughly(...needs)(
  'a process with a silent card at its PC/SC reader ends at most 2 s later than one without a reader',
  {
    timeout,
  },
  async () => {
    const { gateway } = await withCard('silent');
    const child = gateway.child();
    const without = new PinpadProcess(up);
    onTestFinished(() => void without.child.kill('SIGKILL'));
    await without.ready();
    const ended = gateway.pinpad.stop('SIGTERM');
    expect(await without.stop('SIGTERM')).toMatchObject({ code: 0 });
    const late = Symbol('later than 2 s');
    expect(await Promise.race([ended, setTimeout(2_000, late, { ref: false })])).toMatchObject({ code: 0 });
    await gone(child);
  },
);

testThoroughly(...needs)(
  'a process can start and end while the PC/SC service hangs',
  { timeout },
  async () => {
    const { pcscd } = await startVpcd();
    pcscd.signal('SIGSTOP');
    const gateway = new Gateway();
    const paid = gateway.pay(0);
    await gateway.at(0, 'screen?until=presentCard');
    await gateway.at(0, 'tap', { card: 'visa-credit' });
    expect(await paid).toMatchObject({ response: { result: 'success' } });
    const child = gateway.child();
    expect(await gateway.pinpad.stop('SIGTERM')).toMatchObject({ code: 0 });
    await gone(child);
  },
);

test('a killed process leaves nothing behind, even while a card or the PC/SC service hangs', {
  timeout,
}, async () => {
  const { gateway, vpcd } = await withCard('silent');
  const child = gateway.child();
  vpcd.pcscd.signal('SIGSTOP');
  await gateway.pinpad.stop('SIGKILL');
  await gone(child);
});
