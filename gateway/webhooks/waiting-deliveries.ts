import { computeMsLeft, computeMsUntil, DeadlineScheduler } from '../../shared/deadlines.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { computeMaxRetryDelayMs } from './retry-schedule.ts';
import type { PendingDelivery } from './rows.ts';

/** The deliveries that wait until they are due. */
export class WaitingDeliveries {
  readonly #runtime: Runtime;
  readonly #due: (delivery: PendingDelivery) => void;
  readonly #byId = new Map<string, PendingDelivery>();
  readonly #deadlines: DeadlineScheduler;

  /** @param due is called for each delivery when it is due, or when it is released earlier */
  constructor(runtime: Runtime, due: (delivery: PendingDelivery) => void) {
    this.#runtime = runtime;
    this.#due = due;
    this.#deadlines = new DeadlineScheduler(runtime.clock, {
      run: (id) => this.#becomeDue(id),
      timeWaits: runtime.timeWaits,
    });
  }

  /** Adds a delivery. If the delivery is due by now, it does not wait. */
  add(delivery: PendingDelivery): void {
    const leftMs = this.#leftMs(delivery);
    if (leftMs > 0) return this.addFor(delivery, leftMs);
    this.#byId.set(delivery.id, delivery);
    this.#becomeDue(delivery.id);
  }

  /** Adds a delivery that waits for this time, in milliseconds. */
  addFor(delivery: PendingDelivery, waitMs: number): void {
    this.#byId.set(delivery.id, delivery);
    this.#deadlines.set(delivery.id, waitMs);
  }

  /**
   * Ends the wait of a delivery before the delivery is due, because another delivery has overtaken it, or because it
   * has ended elsewhere. Later deliveries wait for this delivery, and must not wait any longer.
   */
  release(deliveryId: string): void {
    if (!this.#byId.has(deliveryId)) return;
    this.#deadlines.clear(deliveryId);
    this.#becomeDue(deliveryId);
  }

  forget(deliveryId: string): void {
    this.#byId.delete(deliveryId);
    this.#deadlines.clear(deliveryId);
  }

  stop(): void {
    this.#deadlines.stop();
  }

  #becomeDue(deliveryId: string): void {
    const delivery = this.#byId.get(deliveryId);
    if (!delivery) return;
    this.#byId.delete(deliveryId);
    this.#due(delivery);
  }

  #leftMs({ tries, due_at, decidedAt }: PendingDelivery): number {
    const { clock, timeouts } = this.#runtime;
    if (decidedAt !== undefined) return computeMsLeft(clock, decidedAt, (due_at ?? 0) - decidedAt);
    return computeMsUntil(clock, due_at ?? 0, computeMaxRetryDelayMs(tries, timeouts.webhookRetryUnitMs));
  }
}
