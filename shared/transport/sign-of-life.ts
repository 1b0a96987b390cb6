import type { Clock, TimerHandle } from '../clock.ts';
import type { Frame } from './socket.ts';

/** The most bytes that are held back meanwhile. */
const mostHeld = 16_000_000;
/** The memory that a frame takes beside its bytes, so that empty frames count too. */
const frameBytes = 200;

interface SignOfLifeHandlers {
  done(alive: boolean): void;
  /** Ends the link, with the reason. */
  cutOff(why: string): void;
}

/** Waits for a sign of life: the other end of a link was asked whether it is there, and its frames are held back until it answers. */
export class SignOfLife {
  /** The content of the ping, so that an answer to an earlier ping, which lay unread, does not count. */
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

  /** Keeps a copy of a frame, since a short one may lie in a buffer with many that are not wanted any more. Returns true: it is held back. */
  holds(frame: Frame): true {
    this.#heldBytes += frame.data.length + frameBytes;
    if (this.#heldBytes > mostHeld) this.#handlers.cutOff('too much before the answer to a ping');
    else this.#held.push({ ...frame, data: Buffer.from(frame.data) });
    return true;
  }

  /** Reports whether the sign came, and gives the frames that were held back. */
  end(alive: boolean): readonly Frame[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.#clock.clearTimeout(this.#limit);
    this.#handlers.done(alive);
    return this.#held.splice(0);
  }
}
