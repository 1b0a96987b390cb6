import type { Clock, TimerHandle } from '../clock.ts';
import type { Frame } from './socket.ts';

/** The maximum number of bytes that are held back while waiting. */
const mostHeld = 16_000_000;
/** The memory that a frame takes beside its bytes, so that empty frames count too. */
const frameBytes = 200;

interface SignOfLifeHandlers {
  done(alive: boolean): void;
  /** Ends the link with this reason. */
  cutOff(why: string): void;
}

/**
 * Waits for a sign of life: the other end of a link was asked whether it is there, and frames from it are held back
 * until it answers.
 */
export class SignOfLife {
  /**
   * The content of the ping. The answer to an earlier ping may still be on its way; it has other content, and does not
   * count.
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
    this.#limit = clock.setTimeout(() => handlers.cutOff('no answer to a ping'), withinMs);
  }

  isAnsweredBy(data: Buffer | undefined): boolean {
    return data?.equals(SignOfLife.question) === true;
  }

  /**
   * Holds a copy of a frame back and returns true. A copy, because a short frame may lie in a large buffer that nothing
   * else needs any more.
   */
  holds(frame: Frame): true {
    this.#heldBytes += frame.data.length + frameBytes;
    if (this.#heldBytes > mostHeld) this.#handlers.cutOff('too much before the answer to a ping');
    else this.#held.push({ ...frame, data: Buffer.from(frame.data) });
    return true;
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
