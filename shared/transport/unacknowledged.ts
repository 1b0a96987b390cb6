import type { TimerHandle } from '../clock.ts';
import type { Runtime } from '../runtime.ts';

/** A message that was sent, but neither acknowledged nor refused yet. `count` is its number on the connection. */
interface Awaited {
  count: number;
  acknowledged: (() => void) | undefined;
  refused: ((reason: string) => void) | undefined;
}

/**
 * Counts the messages that were sent on a link, and the messages that the other end has acknowledged. Calls `overdue`
 * if an acknowledgement does not come in time.
 */
export class AcknowledgementTracker {
  readonly #runtime: Pick<Runtime, 'clock' | 'timeouts'>;
  readonly #overdue: () => void;
  #sent = 0;
  #acknowledged = 0;
  #awaited: Awaited[] = [];
  #oldestAt = 0;
  #watch: TimerHandle | undefined;

  constructor(runtime: Pick<Runtime, 'clock' | 'timeouts'>, overdue: () => void) {
    this.#runtime = runtime;
    this.#overdue = overdue;
  }

  /** Counts one more message as sent. */
  sent(acknowledged?: () => void, refused?: (reason: string) => void): void {
    this.#sent++;
    if (acknowledged || refused) this.#awaited.push({ count: this.#sent, acknowledged, refused });
    const { clock, timeouts } = this.#runtime;
    if (this.#sent - this.#acknowledged === 1) this.#oldestAt = clock.monotonic();
    this.#watch ??= clock.setTimeout(() => this.#check(), timeouts.acknowledgeMs);
  }

  /** Notes that the other end has handled the first `count` messages. Gives false if fewer messages were sent. */
  acknowledge(count: number): boolean {
    if (!(count >= 0 && count <= this.#sent)) return false;
    // An earlier report has already acknowledged the first `count` messages.
    if (count <= this.#acknowledged) return true;
    this.#acknowledged = count;
    this.#oldestAt = this.#runtime.clock.monotonic();
    while (this.#awaited[0] && this.#awaited[0].count <= count) this.#awaited.shift()?.acknowledged?.();
    return true;
  }

  /**
   * Notes that the other end cannot read the message with the number `count`. Gives false if that message was never
   * sent or was acknowledged before.
   */
  refuse(count: number, reason: string): boolean {
    if (!(count > this.#acknowledged && count <= this.#sent)) return false;
    this.acknowledge(count - 1);
    const refused = this.#awaited[0]?.count === count ? this.#awaited.shift()?.refused : undefined;
    this.acknowledge(count);
    refused?.(reason);
    return true;
  }

  /** Stops waiting for acknowledgements. */
  stop(): void {
    this.#runtime.clock.clearTimeout(this.#watch);
    this.#watch = undefined;
  }

  #check(): void {
    this.#watch = undefined;
    if (this.#acknowledged === this.#sent) return;
    const { clock, timeouts } = this.#runtime;
    const leftMs = this.#oldestAt + timeouts.acknowledgeMs - clock.monotonic();
    if (leftMs <= 0) return this.#overdue();
    this.#watch = clock.setTimeout(() => this.#check(), leftMs);
  }
}
