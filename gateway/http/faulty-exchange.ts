import { delay } from '../../shared/clock.ts';
import type { InjectedFault } from '../../shared/journal.ts';
import type { Fault } from '../faults/faults.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { FaultyExchange, SentAnswer } from './faults/request-fault.ts';
import { jsonText } from './json-text.ts';

interface Parts {
  readonly exchange: Exchange;
  readonly fault: Fault;
  /** The request's body as it came. */
  readonly body: string | undefined;
}

/** Carries out what a fault does to an exchange. */
export class FaultyExchangeOf implements FaultyExchange {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  injected(sent?: SentAnswer): void {
    const { exchange, fault } = this.#parts;
    exchange.journalFault(detailsOf(fault), sent);
  }

  drop(): void {
    this.#parts.exchange.drop();
  }

  giveUp(sent: SentAnswer): void {
    this.#parts.exchange.journalFault({ fault: 'dropAnswer' }, sent);
    this.drop();
  }

  cut(): void {
    this.#parts.exchange.response.destroy();
  }

  send({ answer, text }: SentAnswer): void {
    this.#parts.exchange.write(answer, text);
  }

  refuse({ status, ...error }: Parameters<FaultyExchange['refuse']>[0]): void {
    const { code, message, headers, envelope } = new ApiError(error.code, error);
    const answer = this.#parts.exchange.refusal({
      status,
      code,
      message,
      headers,
      envelope,
      details: undefined,
    });
    this.send({ answer, text: answer.text ?? jsonText(answer.body) });
  }

  begin({ answer, text }: SentAnswer): Buffer {
    return this.#parts.exchange.begin(answer, text);
  }

  push(bytes: Uint8Array): Promise<void> {
    const { response } = this.#parts.exchange;
    return new Promise((resolve) => {
      if (response.destroyed) return resolve();
      response.once('close', resolve);
      response.write(bytes, () => {
        response.off('close', resolve);
        resolve();
      });
    });
  }

  finish(): void {
    this.#parts.exchange.response.end();
  }

  async wait(delayMs: number): Promise<void> {
    const { exchange } = this.#parts;
    const resume = exchange.time.park(delayMs);
    // If the gateway stops during this wait, the answer is sent at once.
    await delay(exchange.runtime.clock, delayMs, exchange.signal).catch(() => {});
    resume();
  }

  hold(limitMs: number): Promise<boolean> {
    const { exchange } = this.#parts;
    const release = exchange.runtime.timeWaits.holds?.hold('holdAnswer');
    const resume = exchange.time.park();
    const ended = delay(exchange.runtime.realClock, limitMs, exchange.signal).then(
      () => {
        exchange.warn(`its client still waited for the held answer after ${limitMs / 1_000} real seconds`);
        return false;
      },
      () => exchange.over,
    );
    return ended.finally(() => {
      release?.end('released');
      resume();
    });
  }

  unlessAnsweredAfter(delayMs: number, run: () => void): void {
    const { exchange } = this.#parts;
    const { clock } = exchange.runtime;
    const left = Math.max(0, exchange.arrivedAt + delayMs - clock.monotonic());
    const timer = clock.setTimeout(() => {
      if (!exchange.over) run();
    }, left);
    exchange.response.on('close', () => clock.clearTimeout(timer));
  }

  again(): () => Promise<SentAnswer | undefined> {
    const { exchange, body } = this.#parts;
    const answered = exchange.copies.send(sentIn(exchange), body);
    return async () => {
      const resume = exchange.time.park(exchange.runtime.timeouts.paymentCapMs); // the copy may wait for a shopper
      const answer = await answered;
      resume();
      return answer;
    };
  }

  againAfter(delayMs: number): void {
    const { exchange, body } = this.#parts;
    exchange.copies.sendAfter(delayMs, sentIn(exchange), body);
  }
}

function sentIn({ request, requestId }: Exchange) {
  const { method, url, headers } = request;
  return { method, url, headers, requestId };
}

/** Gives the fields of a fault that the journal shows in addition to the request. */
function detailsOf(set: Fault): InjectedFault {
  const { id: _, method: _m, path: _p, accountId: _a, times: _t, after: _l, ...fault } = set;
  if (!('status' in fault)) return fault;
  const { status: _s, ...rest } = fault;
  return rest;
}
