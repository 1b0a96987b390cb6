import type { ServerResponse } from 'node:http';
import type { Clock, TimerHandle } from '../../shared/clock.ts';

/**
 * The time in real ms between two spaces. It is short enough for clients of other vendors' APIs, because these clients
 * give up after 30 s of silence.
 */
const everyMs = 10_000;

/**
 * Sends white space before an answer that depends on a person's action. JSON may begin with white space. Some clients
 * would give up after some silence. The white space lets these clients continue to wait. The head with status 200 is
 * sent before the white space, so only the body can tell the client of a later error.
 */
export class WhitespaceKeepAlive {
  readonly #clock: Clock;
  #timer: TimerHandle | undefined;
  #begun = false;

  /** @param headers the headers of the answer */
  constructor(response: ServerResponse, clock: Clock, headers: Readonly<Record<string, string>>) {
    this.#clock = clock;
    const send = () => {
      if (!this.#begun) response.writeHead(200, headers);
      this.#begun = true;
      // If the client does not read, no more white space is sent.
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
