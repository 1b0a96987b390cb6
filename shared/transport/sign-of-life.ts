import type { Clock, TimerHandle } from '../clock.ts';
import type { Frame } from './socket.ts';

/** The most that is held back meanwhile, in bytes. */
const mostHeld = 16_000_000;
/** What a frame takes in memory beside its bytes: empty ones count too. */
const frameBytes = 200;

interface SignOfLifeHandlers {
  done(alive: boolean): void;
  /** The link is to end, and why. */
  cutOff(why: string): void;
}

/** The other end of a link was asked whether it is there; what it sends is held back until it has answered. */
export class SignOfLife {
  /** What the ping carries: an answer to an earlier ping, which lay unread, is none to this one. */
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

  /** Keeps a copy: a short frame may lie in a buffer of many that are no longer wanted. Gives that it is held back. */
  holds(frame: Frame): true {
    this.#heldBytes += frame.data.length + frameBytes;
    if (this.#heldBytes > mostHeld) this.#handlers.cutOff('too much before the answer to a ping');
    else this.#held.push({ ...frame, data: Buffer.from(frame.data) });
    return true;
  }

  /** Tells what was found out, and gives the frames that were held back. */
  end(alive: boolean): readonly Frame[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.#clock.clearTimeout(this.#limit);
    this.#handlers.done(alive);
    return this.#held.splice(0);
  }
}
