/** Ends the work that `begin` counted, or the hold that `hold` began. A second call has no effect. */
export type EndInFlight = () => void;

/**
 * Counts work that continues without a timer: a frame on a socket, a request that is being processed, a write that is
 * not committed yet. The virtual clock advances only when no such work is left. Work that waits for a timer, a person
 * or a terminal is not counted.
 */
export interface InFlightTracker {
  begin(): EndInFlight;
  /** Keeps the clock stopped until the returned function is called, even if nothing is in flight. */
  hold(): EndInFlight;
  /** Notes that one end of a link is open. `link` names the connection on both ends. */
  opened(link: string): void;
  /** Notes that a frame left one end of a link. */
  sent(link: string): void;
  /**
   * Notes that a frame arrived at the other end of a link. The work that the frame causes must have been done or
   * counted before this call.
   */
  arrived(link: string): void;
  /**
   * Notes that one end of a link is closed and that the frames on the link are lost. The other end will notice that the
   * link is closed.
   */
  closed(link: string): void;
}

const nothing: EndInFlight = () => {};

/** Counts nothing. It is used with real time, which passes even while work is in flight. */
export const noInFlightTracking: InFlightTracker = {
  begin: () => nothing,
  hold: () => nothing,
  opened: nothing,
  sent: nothing,
  arrived: nothing,
  closed: nothing,
};

interface LinkCount {
  ends: number;
  frames: number;
}

/** Counts work in flight. {@link InFlightCounter.settled} resolves when no work is left. */
export class InFlightCounter implements InFlightTracker {
  #count = 0;
  #links = new Map<string, LinkCount>();
  #waiting: (() => void)[] = [];
  #holds = 0;
  #held: (() => void)[] = [];

  begin(): EndInFlight {
    this.#count++;
    let done = false;
    return () => {
      if (done) return;
      done = true;
      this.#change(-1);
    };
  }

  hold(): EndInFlight {
    this.#holds++;
    let done = false;
    return () => {
      if (done) return;
      done = true;
      this.#release();
    };
  }

  opened(link: string): void {
    const count = this.#links.get(link);
    if (count) count.ends++;
    else this.#links.set(link, { ends: 1, frames: 0 });
  }

  sent(link: string): void {
    const count = this.#links.get(link);
    if (!count) return;
    count.frames++;
    this.#count++;
  }

  arrived(link: string): void {
    const count = this.#links.get(link);
    if (!count || count.frames === 0) return;
    count.frames--;
    this.#change(-1);
  }

  closed(link: string): void {
    const count = this.#links.get(link);
    if (!count) return;
    count.ends--;
    // The frames on the link are lost, because this end is closed. Until the other end notices that this end is closed,
    // one frame counts as in flight.
    const frames = count.ends > 0 ? 1 : 0;
    const change = frames - count.frames;
    count.frames = frames;
    if (count.ends === 0) this.#links.delete(link);
    this.#change(change);
  }

  get idle(): boolean {
    return this.#count === 0;
  }

  /** Resolves once no work is in flight, and no work has begun during the next turns of the event loop. */
  async settled(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 3; quietTurns++) {
      if (!this.idle) {
        quietTurns = 0;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves once nothing is in flight and nothing holds the clock. */
  async free(): Promise<void> {
    await this.settled();
    while (this.#holds > 0) {
      await new Promise<void>((resolve) => this.#held.push(resolve));
      await this.settled();
    }
  }

  #release(): void {
    if (--this.#holds > 0) return;
    for (const resolve of this.#held.splice(0)) resolve();
  }

  #change(by: number): void {
    this.#count += by;
    if (this.#count !== 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
