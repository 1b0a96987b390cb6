import { onTestFinished } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';

type Body = Record<string, unknown>;
interface Answered {
  status: number;
  body: Body;
}

interface ClockState {
  now: string;
  stands: string | null;
  waiting: { by: string; until: string }[];
  asked: { terminal: string; state: string }[];
  holds: { name: string }[];
}

/**
 * Resolves when nothing in this process has anything left to do. Bytes on their way to another process do not count.
 */
export async function waitUntilIdle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A stack whose time advances by itself, and the calls that a test makes to it. */
export class SkippingStack {
  readonly stack: Stack;
  /** Whether the test is over. After its end, no call waits any longer. */
  over = false;

  constructor(stack: Stack) {
    this.stack = stack;
  }

  get clock(): VirtualClock {
    return this.stack.runtime.clock as VirtualClock;
  }

  /** The virtual milliseconds that have passed since the start. */
  get passedMs(): number {
    return this.clock.now() - Date.UTC(2026, 0, 1, 9);
  }

  /** Sends a request of a point of sale. */
  pos(method: string, path: string, body?: Body, headers: Record<string, string> = {}): Promise<Answered> {
    return this.#call(method, path, this.stack.tokens[0]?.token, { body, headers });
  }

  control(method: string, path: string, body?: Body, signal?: AbortSignal): Promise<Answered> {
    return this.#call(method, `/control${path}`, this.stack.controlToken, { body, signal });
  }

  /** Calls the control API for the first terminal. */
  at(method: string, path: string, body?: Body): Promise<Answered> {
    return this.control(method, `/terminals/${this.stack.terminals[0]?.poiId}/${path}`, body);
  }

  pay(amount: number, key?: string): Promise<Answered> {
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
    const path = `/terminals/${this.stack.terminals[0]?.identifier}/payment-request`;
    return this.pos(
      'POST',
      path,
      { paymentTransaction: { amountsReq: { requestedAmount: amount } } },
      headers,
    );
  }

  shopper(thinkMs = 0): Promise<Answered> {
    return this.at('PUT', 'shopper', { card: 'visa-credit', entry: 'Contactless', thinkMs });
  }

  /**
   * Resolves when `says` is true for the state of the clock in the control API. Asks for the state again and again,
   * because holds, waits and other requests reach the clock at unknown times.
   */
  async clockSays(says: (clock: ClockState) => boolean): Promise<ClockState> {
    while (!this.over) {
      const { body } = await this.control('GET', '/clock');
      const state = body as unknown as ClockState;
      if (says(state)) return state;
    }
    throw new Error('the test is over, and the clock never said so');
  }

  /** Lets `ms` of real time pass on the test's own clock. Everything that is due in this time happens. */
  async real(ms: number, stepMs = Math.min(ms, 10)): Promise<void> {
    const realClock = this.stack.runtime.realClock as VirtualClock;
    const until = realClock.monotonic() + ms;
    while (realClock.monotonic() < until && !this.over) {
      await realClock.moveTo(Math.min(until, realClock.monotonic() + stepMs));
      await waitUntilIdle();
    }
  }

  /**
   * Lets real time pass on the test's own clock until the next timer on this clock is due in exactly `realMs`. All
   * waits that are shorter than this have ended by then.
   */
  async standsFor(realMs: number): Promise<void> {
    await this.#realWhile(() => this.#realDueInMs !== realMs, realMs);
  }

  /**
   * Lets real time pass on the test's own clock until the promise resolves, at most `withinMs`. Only timers that are
   * due within that time fire.
   */
  async realUntil<Result>(promise: Promise<Result>, withinMs: number): Promise<Result> {
    let isOver = false;
    void promise.finally(() => {
      isOver = true;
    });
    await this.#realWhile(() => !isOver, withinMs);
    return promise;
  }

  async #realWhile(goesOn: () => boolean, longestStepMs: number): Promise<void> {
    const realClock = this.stack.runtime.realClock as VirtualClock;
    while (goesOn() && !this.over) {
      const inMs = this.#realDueInMs;
      if (inMs <= longestStepMs) await realClock.moveTo(realClock.monotonic() + inMs);
      await waitUntilIdle();
    }
  }

  get #realDueInMs(): number {
    const realClock = this.stack.runtime.realClock as VirtualClock;
    return (realClock.dueMs ?? Number.POSITIVE_INFINITY) - realClock.monotonic();
  }

  journal(): JournalEntry[] {
    return this.stack.runtime.journal.since(0);
  }

  async #call(
    method: string,
    path: string,
    token: string | undefined,
    given: { body?: Body; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Answered> {
    const response = await fetch(`${this.stack.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(given.body && { 'content-type': 'application/json' }),
        ...given.headers,
      },
      body: given.body && JSON.stringify(given.body),
      signal: given.signal,
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Body) };
  }
}

/** @param realClock the clock for real time, which the test moves; if absent, the system's clock */
export async function skippingStack(
  changes: ConfigChanges = {},
  realClock?: VirtualClock,
): Promise<SkippingStack> {
  const config = resolveConfig(undefined, {
    ...{ port: 0, memory: true, seed: 1, logLevel: 'silent', clock: 'skipping' },
    ...changes,
  });
  const { clock, seed } = config;
  const runtime = createRuntime({ clock, seed, ...(realClock && { realClock }) });
  const stack = await startStack(config, { terminals: true, runtime });
  const skipping = new SkippingStack(stack);
  onTestFinished(async () => {
    skipping.over = true;
    await stack.close();
  });
  return skipping;
}
