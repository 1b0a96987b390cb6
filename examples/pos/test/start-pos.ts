import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Pinpad } from 'pinpad/testing';
import { onTestFinished } from 'vitest';
import { createPosApp } from '../src/app.ts';
import { PaymentsClient } from '../src/payments-client.ts';
import { type Sale, SaleStore } from '../src/sale-store.ts';
import { Sales } from '../src/sales.ts';

/** The actions of a cashier at a POS. */
export class Cashier {
  readonly #pos: string;

  constructor(pos: string) {
    this.#pos = pos;
  }

  async sell(amount: number, { tip }: { tip?: boolean } = {}): Promise<Sale> {
    return (await this.#call('POST', '/sales', { amount, tip })).json() as Promise<Sale>;
  }

  /** Resolves to the sale when its outcome is known. */
  async outcome({ id }: Sale): Promise<Sale> {
    return (await this.#call('GET', `/sales/${id}?settled`)).json() as Promise<Sale>;
  }

  cancel({ id }: Sale): Promise<Response> {
    return this.#call('POST', `/sales/${id}/cancel`);
  }

  check({ id }: Sale): Promise<Response> {
    return this.#call('POST', `/sales/${id}/check`);
  }

  #call(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.#pos + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

/** Makes a folder for sales, and removes the folder after the test. */
export function makeSalesFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pos-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a POS in this process. When the POS waits, the time of the test's gateway moves on. */
export async function startPos(pinpad: Pinpad, folder = makeSalesFolder()) {
  const { url, token, clock } = pinpad;
  const wait = (ms: number) => clock.pass(ms);
  const payments = new PaymentsClient({ url, token, terminalId: pinpad.terminalId(), wait });
  const sales = new Sales(payments, new SaleStore(folder));
  sales.recover();
  const server = createPosApp(sales).listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return new Cashier(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Starts the POS as a separate process, so that a test can kill it. */
export async function startPosProcess(pinpad: Pinpad, folder: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    env: {
      ...process.env,
      PAYMENTS_URL: pinpad.url,
      PAYMENTS_TOKEN: pinpad.token,
      TERMINAL_ID: pinpad.terminalId(),
      SALES_FOLDER: folder,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { cashier: new Cashier(line.replace('The POS is at ', '')), kill };
}
