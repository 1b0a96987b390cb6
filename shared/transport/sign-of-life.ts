import type { Clock, TimerHandle } from '../clock.ts';
import type { Frame } from './socket.ts';

/** The maximum number of bytes that are held back during the wait. */
const mostHeld = 16_000_000;
/** The memory that a frame uses in addition to its bytes. Because of it, empty frames count too. */
const frameBytes = 200;

interface SignOfLifeHandlers {
  done(alive: boolean): void;
  /** Ends the link without a handshake, with this reason. */
  cutOff(why: string): void;
}

/**
 * Waits for a sign of life of a link's other end, which was asked whether it is there. Frames from that end are held
 * back until it answers.
 */
export class SignOfLifeWaiter {
  /**
   * The content of the ping that asks. The answer to an earlier ping may still arrive; it has other content and does
   * not count.
   */
  static readonly question = Buffer.from('alive?');

  readonly #clock: Clock;
  readonly #handlers: SignOfLifeHandlers;
  readonly #limit: TimerHandle;
  #held: Frame[] = [];
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
   * Holds a frame back. Keeps a copy, because a short frame may be a part of a large buffer that would stay in memory.
   */
  hold(frame: Frame): void {
    this.#heldBytes += frame.data.length + frameBytes;
    if (this.#heldBytes > mostHeld)
      this.#handlers.cutOff('too many bytes arrived before the answer to a ping');
    else this.#held.push({ ...frame, data: Buffer.from(frame.data) });
  }

  /** Reports whether the sign of life came, and gives the frames that were held back. */
  end(alive: boolean): readonly Frame[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.#clock.clearTimeout(this.#limit);
    this.#handlers.done(alive);
    return this.#held.splice(0);
  }
}
