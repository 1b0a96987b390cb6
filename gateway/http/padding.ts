import type { ServerResponse } from 'node:http';
import type { Clock, TimerHandle } from '../../shared/clock.ts';

/** So long nothing is sent, and then so often a space, in real time: clients of other APIs give up after 30 s of silence. */
const everyMs = 10_000;

/**
 * White space before an answer that a person has to be waited for: JSON may begin with it, and a client that counts silence
 * waits on. Its head says 200, so what fails later is said in the body.
 */
export class Padding {
  readonly #clock: Clock;
  #timer: TimerHandle | undefined;
  #begun = false;

  /** @param headers of the answer that begins */
  constructor(response: ServerResponse, clock: Clock, headers: Readonly<Record<string, string>>) {
    this.#clock = clock;
    const send = () => {
      if (!this.#begun) response.writeHead(200, headers);
      this.#begun = true;
      // One who reads nothing is not sent more and more.
      if (!response.writableNeedDrain) response.write(' ');
      this.#timer = clock.setTimeout(send, everyMs);
    };
    this.#timer = clock.setTimeout(send, everyMs);
  }

  /** Its head is out. */
  get begun(): boolean {
    return this.#begun;
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
  }
}
