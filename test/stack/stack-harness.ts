import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { type Config, type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';

/** The parts of the IPPTransactionResult that tests look at. */
export interface TransactionResult {
  identifier: string;
  response: { result: string; errorCondition?: string; additionalResponse: Record<string, string> };
  saleData?: { saleReferenceId?: string };
  paymentResult?: {
    paymentInstrumentData: { cardData: { paymentBrand: string; maskedPan: string; entryMode: string[] } };
    amountsResp?: { tipAmount?: number };
  };
  paymentReceipt?: {
    documentQualifier: string;
    requiredSignatureFlag: boolean;
    outputContent: { outputText: { text: { name?: string; value?: string; key: string } }[] };
  }[];
}

export interface HttpAnswer<Body = TransactionResult> {
  status: number;
  headers: Headers;
  body: Body;
}

/** A whole stack in this process, on a virtual clock. Tests call it over HTTP, as users do. */
export class StackHarness {
  readonly clock: VirtualClock;
  #stack: Stack;
  #config: Config;
  #requests = 0;
  #cleaning: (() => void)[] = [];
  #closed: Promise<void> | undefined;
  #underWay = new Map<string, () => void>();

  constructor(stack: Stack, config: Config) {
    this.#stack = stack;
    this.#config = config;
    this.clock = stack.runtime.clock as VirtualClock;
    stack.runtime.journal.listen(({ data }) => {
      if ('requestId' in data && data.requestId !== undefined) this.#arrived(data.requestId);
    });
  }

  #arrived(requestId: string): void {
    this.#underWay.get(requestId)?.();
    this.#underWay.delete(requestId);
  }

  get stack(): Stack {
    return this.#stack;
  }

  /** Stops the gateway and starts it again with the same files and port. The terminals stay and connect to it again. */
  async restartGateway(): Promise<void> {
    const { gateway, runtime, emulator, url } = this.#stack;
    await gateway.close();
    const again = await startStack(
      { ...this.#config, port: Number(new URL(url).port) },
      { terminals: false, runtime },
    );
    this.#stack = { ...again, emulator, close: () => closeBoth(again.gateway, emulator) };
    await this.settled();
  }

  /** Stops everything, deletes the terminals' memory, and starts again with the same files and port. */
  async loseTerminalMemory(): Promise<void> {
    const { runtime, url } = this.#stack;
    await this.#stack.close();
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(this.#config.data, `terminals.sqlite${suffix}`), { force: true });
    const parts = { terminals: true, runtime };
    this.#stack = await startStack({ ...this.#config, port: Number(new URL(url).port) }, parts);
    await this.settled();
  }

  /**
   * Runs `clean` before the stack closes. `clean` ends those connections of the test that would delay the end of the
   * stack.
   */
  beforeClose(clean: () => void): void {
    this.#cleaning.push(clean);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const clean of this.#cleaning.splice(0)) clean();
    await this.#stack.close();
  }

  get terminalId(): string {
    return this.terminal(0).identifier;
  }

  get poiId(): string {
    return this.terminal(0).poiId;
  }

  /** Returns the terminal of that number, counted from 0. */
  terminal(number: number): Stack['terminals'][number] {
    const terminal = this.#stack.terminals[number];
    if (!terminal) throw new Error(`there is no terminal ${number} in this stack`);
    return terminal;
  }

  async http<Body = TransactionResult>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<HttpAnswer<Body>> {
    const token = path.startsWith('/control') ? this.stack.controlToken : this.stack.tokens[0]?.token;
    const requestId = `bed-${++this.#requests}`;
    // A request counts as under way until the gateway has received it, so that `settled` waits for it.
    this.#underWay.set(requestId, this.clock.inFlight.begin());
    const response = await fetch(this.stack.url + path, {
      method,
      redirect: 'manual',
      ...(signal ? { signal } : {}),
      headers: {
        authorization: `Bearer ${token}`,
        'request-id': requestId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).finally(() => this.#arrived(requestId));
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  }

  /** Sends a payment request for that amount. `more` has the other fields of the body. */
  pay(requestedAmount: number, more: object = {}, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return this.http(
      'POST',
      `/terminals/${this.terminalId}/payment-request`,
      { paymentTransaction: { amountsReq: { requestedAmount } }, ...more },
      headers,
    );
  }

  control<Body = unknown>(method: string, path: string, body?: unknown): Promise<HttpAnswer<Body>> {
    return this.http<Body>(method, `/control${path}`, body);
  }

  /** Acts on the first terminal through the control API. */
  act(what: string, body?: unknown): Promise<HttpAnswer<{ screen: { state: string; title: string } }>> {
    return this.control('POST', `/terminals/${this.poiId}/${what}`, body);
  }

  /** Waits until the first terminal shows one of these states. */
  async until(...states: string[]): Promise<void> {
    const { status, body } = await this.control(
      'GET',
      `/terminals/${this.poiId}/screen?until=${states.join(',')}`,
    );
    if (status !== 200) throw new Error(`${states}: ${status} ${JSON.stringify(body)}`);
  }

  /** Advances time over HTTP, as a test suite in another language does. */
  advance(ms: number) {
    return this.control('POST', '/clock/advance', { ms });
  }

  settled(): Promise<void> {
    return this.clock.inFlight.settled();
  }

  journal(kind?: string): JournalEntry[] {
    return this.stack.runtime.journal.since().filter((entry) => kind === undefined || entry.kind === kind);
  }
}

async function closeBoth(gateway: Stack['gateway'], emulator: Stack['emulator']): Promise<void> {
  await gateway.close();
  await emulator?.close();
}

/** Starts a stack for one test. It is closed after the test. */
export async function stackHarness(changes: ConfigChanges = {}): Promise<StackHarness> {
  const harness = await openStack(changes);
  onTestFinished(() => harness.close());
  return harness;
}

/** Starts a stack that the caller closes. */
export async function openStack(changes: ConfigChanges = {}): Promise<StackHarness> {
  const config = resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, ...changes });
  const harness = new StackHarness(await startStack(config), config);
  await harness.settled();
  // terminals with natural pacing take some time to start
  if (config.pacing === 'natural') await harness.clock.advance(2_000);
  await harness.until('idle');
  return harness;
}
