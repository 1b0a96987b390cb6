import type { ServerResponse } from 'node:http';
import type { Clock, TimerHandle } from '../../shared/clock.ts';

/** The interval, in real time, at which a space is sent: clients of other APIs give up after 30 s of silence. */
const everyMs = 10_000;

/**
 * Sends white space before an answer that needs a person. JSON may begin with white space, and a client that gives up
 * after some silence goes on waiting. The head has status 200, so a later error is told in the body.
 */
export class Padding {
  readonly #clock: Clock;
  #timer: TimerHandle | undefined;
  #begun = false;

  /** @param headers those of the answer that begins */
  constructor(response: ServerResponse, clock: Clock, headers: Readonly<Record<string, string>>) {
    this.#clock = clock;
    const send = () => {
      if (!this.#begun) response.writeHead(200, headers);
      this.#begun = true;
      // A client that does not read gets no further white space.
      if (!response.writableNeedDrain) response.write(' ');
      this.#timer = clock.setTimeout(send, everyMs);
    };
    this.#timer = clock.setTimeout(send, everyMs);
  }

  /** Whether the head was sent. */
  get begun(): boolean {
    return this.#begun;
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
  }
}
