import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { Flapping as Pattern } from '../../shared/emulator/frames.ts';

/** Makes a network go down and come back. It goes down `times` times, each time for a while; in the end it is up. */
export class NetworkFlapper {
  readonly #clock: Clock;
  readonly #setNetwork: (up: boolean) => void;
  readonly #note: (pattern: Pattern | undefined) => void;
  #next: TimerHandle | undefined;
  /** The pattern that the network follows now; undefined while the network is steady. */
  pattern: Pattern | undefined;

  /**
   * @param note is called with a pattern when the pattern begins, and with undefined when it has ended or was stopped
   */
  constructor(clock: Clock, setNetwork: (up: boolean) => void, note: (pattern: Pattern | undefined) => void) {
    this.#clock = clock;
    this.#setNetwork = setNetwork;
    this.#note = note;
  }

  /** Takes the network down at once. If another pattern was under way, it is replaced. */
  start(pattern: Pattern): void {
    this.#clock.clearTimeout(this.#next);
    this.pattern = pattern;
    this.#note(pattern);
    this.#goDown(pattern, pattern.times);
  }

  /** Leaves the network as it is now. Returns false if no pattern was under way. */
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
