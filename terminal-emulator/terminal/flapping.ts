import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { Flapping as Pattern } from '../../shared/emulator/frames.ts';

/** A network that comes and goes: so many times down, each for a while, and up in the end. */
export class Flapping {
  readonly #clock: Clock;
  readonly #setNetwork: (up: boolean) => void;
  #next: TimerHandle | undefined;

  constructor(clock: Clock, setNetwork: (up: boolean) => void) {
    this.#clock = clock;
    this.#setNetwork = setNetwork;
  }

  /** Goes down at once. What flapped before stops. */
  start({ times, downMs, upMs }: Pattern): void {
    this.stop();
    this.#setNetwork(false);
    this.#next = this.#clock.setTimeout(() => {
      this.#next = undefined;
      this.#setNetwork(true);
      if (times > 1)
        this.#next = this.#clock.setTimeout(() => this.start({ times: times - 1, downMs, upMs }), upMs);
    }, downMs);
  }

  /** Leaves the network as it is now. */
  stop(): void {
    this.#clock.clearTimeout(this.#next);
    this.#next = undefined;
  }
}
