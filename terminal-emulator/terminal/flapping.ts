import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { Flapping as Pattern } from '../../shared/emulator/frames.ts';

/** A network that comes and goes: so many times down, each for a while, and up in the end. */
export class NetworkFlapper {
  readonly #clock: Clock;
  readonly #setNetwork: (up: boolean) => void;
  readonly #note: (pattern: Pattern | undefined) => void;
  #next: TimerHandle | undefined;
  /** What is going on; undefined while the network is quiet. */
  pattern: Pattern | undefined;

  /** @param note is given what begins, and undefined once it is over or was stopped */
  constructor(clock: Clock, setNetwork: (up: boolean) => void, note: (pattern: Pattern | undefined) => void) {
    this.#clock = clock;
    this.#setNetwork = setNetwork;
    this.#note = note;
  }

  /** Goes down at once. What flapped before stops. */
  start(pattern: Pattern): void {
    this.#clock.clearTimeout(this.#next);
    this.pattern = pattern;
    this.#note(pattern);
    this.#goDown(pattern, pattern.times);
  }

  /** Leaves the network as it is now; false where it was quiet. */
  stop(): boolean {
    if (this.#next === undefined) return false;
    this.#clock.clearTimeout(this.#next);
    this.#over();
    return true;
  }

  #goDown(pattern: Pattern, times: number): void {
    this.#setNetwork(false);
    this.#next = this.#clock.setTimeout(() => {
      this.#setNetwork(true);
      if (times === 1) return this.#over();
      this.#next = this.#clock.setTimeout(() => this.#goDown(pattern, times - 1), pattern.upMs);
    }, pattern.downMs);
  }

  #over(): void {
    this.#next = undefined;
    this.pattern = undefined;
    this.#note(undefined);
  }
}
