import { afterEach } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';

/** The IPPTransactionResult as far as tests look at it. */
export interface Result {
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

export interface HttpAnswer<Body = Result> {
  status: number;
  headers: Headers;
  body: Body;
}

/** A whole stack in this process on a virtual clock, reached the way users reach it: over HTTP. */
export class StackBed {
  readonly stack: Stack;
  readonly clock: VirtualClock;

  constructor(stack: Stack) {
    this.stack = stack;
    this.clock = stack.runtime.clock as VirtualClock;
  }

  get terminalId(): string {
    return this.stack.terminals[0]?.identifier ?? '';
  }

  get poiId(): string {
    return this.stack.terminals[0]?.poiId ?? '';
  }

  async http<Body = Result>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer<Body>> {
    const token = path.startsWith('/control') ? this.stack.controlToken : this.stack.tokens[0]?.token;
    const response = await fetch(this.stack.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  }

  /** Sends a payment request of so much, with whatever else its body has. */
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

  /** Moves time over HTTP, as a test suite in another language does. */
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

const open: Stack[] = [];
afterEach(async () => {
  for (const stack of open.splice(0)) await stack.close();
});

/** Starts a stack for one test; it is closed after it. */
export async function stackBed(changes: ConfigChanges = {}): Promise<StackBed> {
  const stack = await startStack(
    resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, ...changes }),
  );
  open.push(stack);
  const bed = new StackBed(stack);
  await bed.settled();
  await bed.until('idle');
  return bed;
}
