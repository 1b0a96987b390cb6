import { delay } from '../../shared/clock.ts';
import type { InjectedFault } from '../../shared/journal.ts';
import type { Fault } from '../faults/faults.ts';
import type { RequestFailure } from './dialect.ts';
import { ApiError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { formatJsonLine } from './json-line.ts';
import type { ReadyAnswer } from './ready-answer.ts';

interface Parts {
  readonly exchange: Exchange;
  readonly fault: Fault;
  /** The request's body as the client sent it. */
  readonly body: string | undefined;
}

/**
 * A request that a fault affects. The methods are the actions that a fault can take on the request. If a fault waits,
 * the gateway's clock measures the wait.
 */
export class FaultyExchange {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Writes the fault into the journal before its effect begins. */
  injected(sent?: ReadyAnswer): void {
    const { exchange, fault } = this.#parts;
    exchange.journalFault(detailsOf(fault), sent);
  }

  /**
   * Breaks the connection from the gateway's side, so that nothing more is sent. The handler does not notice this, and
   * continues.
   */
  drop(): void {
    this.#parts.exchange.drop();
  }

  /**
   * Breaks the connection of a client that still waits at the time limit of a held answer. Notes the break in the
   * journal.
   */
  giveUp(sent: ReadyAnswer): void {
    this.#parts.exchange.journalFault({ fault: 'dropAnswer' }, sent);
    this.drop();
  }

  /**
   * Breaks the connection, as a proxy does after it has waited too long. The handler learns that its client has hung
   * up.
   */
  cut(): void {
    this.#parts.exchange.response.destroy();
  }

  /** Sends an answer. */
  send({ answer, text }: ReadyAnswer): void {
    this.#parts.exchange.write(answer, text);
  }

  /** Sends an error in the form of the request's API. */
  refuse({
    status,
    ...error
  }: Pick<RequestFailure, 'status' | 'code' | 'message'> & Partial<Pick<RequestFailure, 'headers'>>): void {
    const { code, message, headers, envelope } = new ApiError(error.code, error);
    const answer = this.#parts.exchange.refusal({
      status,
      code,
      message,
      headers,
      envelope,
      details: undefined,
    });
    this.send({ answer, text: answer.text ?? formatJsonLine(answer.body) });
  }

  /** Sends the head of an answer, and gives the body. Send the body with {@link push} and {@link finish}. */
  begin({ answer, text }: ReadyAnswer): Buffer {
    return this.#parts.exchange.begin(answer, text);
  }

  /** Sends a part of the body. Resolves when the bytes are on their way. */
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

  /**
   * Waits for `delayMs`. Virtual time may move during the wait. If the gateway shuts down or the client hangs up, the
   * wait ends at once.
   */
  async wait(delayMs: number): Promise<void> {
    const { exchange } = this.#parts;
    const resume = exchange.time.park(delayMs);
    // If the gateway stops during this wait, the answer is sent at once.
    await delay(exchange.runtime.clock, delayMs, exchange.signal).catch(() => {});
    resume();
  }

  /**
   * Waits until the client hangs up. The gateway's clock stands still during the wait. The request counts as parked,
   * so that a clock that skips idle time does not wait for the request. Resolves to true if the client has hung up.
   * Resolves to false if the client still waits after `limitMs` of real time, or if the gateway stops.
   */
  hold(limitMs: number): Promise<boolean> {
    const { exchange } = this.#parts;
    const release = exchange.runtime.timeWaits.holds?.hold('holdAnswer');
    const resume = exchange.time.park();
    const ended = delay(exchange.runtime.realClock, limitMs, exchange.signal).then(
      () => {
        exchange.warn(`the client still waited for the held answer after ${limitMs / 1_000} real seconds`);
        return false;
      },
      () => exchange.isOver,
    );
    return ended.finally(() => {
      release?.end('released');
      resume();
    });
  }

  /**
   * Calls `run` after the delay, unless by then the answer was sent or the connection has ended. The delay begins when
   * the request arrives.
   */
  unlessAnsweredAfter(delayMs: number, run: () => void): void {
    const { exchange } = this.#parts;
    const { clock } = exchange.runtime;
    const left = Math.max(0, exchange.arrivedAt + delayMs - clock.monotonic());
    const timer = clock.setTimeout(() => {
      if (!exchange.isOver) run();
    }, left);
    exchange.response.on('close', () => clock.clearTimeout(timer));
  }

  /**
   * Sends the same request once more, as a separate request. The returned function waits for the answer to this
   * second request. It resolves to undefined if there is no answer.
   */
  again(): () => Promise<ReadyAnswer | undefined> {
    const { exchange, body } = this.#parts;
    const answered = exchange.copies.send(sentIn(exchange), body);
    return async () => {
      const resume = exchange.time.park(exchange.runtime.timeouts.paymentCapMs); // the copy may wait for a shopper
      const answer = await answered;
      resume();
      return answer;
    };
  }

  /** Sends the same request once more after the delay, whatever happens to this request. */
  againAfter(delayMs: number): void {
    const { exchange, body } = this.#parts;
    exchange.copies.sendAfter(delayMs, sentIn(exchange), body);
  }
}

function sentIn({ request, requestId }: Exchange) {
  const { method, url, headers } = request;
  return { method, url, headers, requestId };
}

/** Gives the fields of a fault for the journal, without the fields that say which requests the fault affects. */
function detailsOf(set: Fault): InjectedFault {
  const { id: _, method: _m, path: _p, accountId: _a, times: _t, after: _l, ...fault } = set;
  if (!('status' in fault)) return fault;
  const { status: _s, ...rest } = fault;
  return rest;
}
