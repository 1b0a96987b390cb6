import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { NetworkFlapping as Pattern } from '../../shared/emulator/frames.ts';

/** Makes a network go down and come back, `times` times. At the end, the network is up. */
export class NetworkFlapper {
  readonly #clock: Clock;
  readonly #setNetwork: (up: boolean) => void;
  readonly #note: (pattern: Pattern | undefined) => void;
  #next: TimerHandle | undefined;
  /** The pattern that the network follows now; undefined while the network is steady. */
  pattern: Pattern | undefined;

  /**
   * @param note is called with a pattern when the pattern begins, and with undefined when the pattern ends or is
   * stopped
   */
  constructor(clock: Clock, setNetwork: (up: boolean) => void, note: (pattern: Pattern | undefined) => void) {
    this.#clock = clock;
    this.#setNetwork = setNetwork;
    this.#note = note;
  }

  /** Begins a pattern: takes the network down at once. If another pattern is running, the new pattern replaces it. */
  start(pattern: Pattern): void {
    this.#clock.clearTimeout(this.#next);
    this.pattern = pattern;
    this.#note(pattern);
    this.#goDown(pattern, pattern.times);
  }

  /** Stops the pattern, and leaves the network as it is now. Returns false if no pattern was running. */
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
