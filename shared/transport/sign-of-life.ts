import type { Clock, TimerHandle } from '../clock.ts';
import type { ReceivedFrame } from './socket.ts';

/** The maximum number of bytes that are held back during the wait. */
const mostHeld = 16_000_000;
/** The memory that a frame uses in addition to its content, in bytes. Empty frames use it too, so they also count. */
const frameBytes = 200;

interface SignOfLifeHandlers {
  done(alive: boolean): void;
  /** Ends the link without a handshake, with this reason. */
  cutOff(why: string): void;
}

/**
 * Waits for a sign of life from the other end of a link, after a ping. Frames from the other end are held back until
 * the ping is answered.
 */
export class SignOfLifeWaiter {
  /**
   * The content of the ping that asks for a sign of life. A late answer to an earlier ping has other content, so it
   * does not count.
   */
  static readonly question = Buffer.from('alive?');

  readonly #clock: Clock;
  readonly #handlers: SignOfLifeHandlers;
  readonly #limit: TimerHandle;
  #held: ReceivedFrame[] = [];
  #heldBytes = 0;
  #ended = false;

  constructor(clock: Clock, withinMs: number, handlers: SignOfLifeHandlers) {
    this.#clock = clock;
    this.#handlers = handlers;
    this.#limit = clock.setTimeout(() => handlers.cutOff('there was no answer to a ping'), withinMs);
  }

  isAnsweredBy(data: Buffer | undefined): boolean {
    return data?.equals(SignOfLifeWaiter.question) === true;
  }

  /**
   * Holds a copy of a frame back. If the frame itself were kept, a large buffer that contains it could stay in memory.
   */
  hold(frame: ReceivedFrame): void {
    this.#heldBytes += frame.data.length + frameBytes;
    if (this.#heldBytes > mostHeld)
      this.#handlers.cutOff('too many bytes arrived before the answer to a ping');
    else this.#held.push({ ...frame, data: Buffer.from(frame.data) });
  }

  /** Reports whether the sign of life came, and gives the frames that were held back. */
  end(alive: boolean): readonly ReceivedFrame[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.#clock.clearTimeout(this.#limit);
    this.#handlers.done(alive);
    return this.#held.splice(0);
  }
}
