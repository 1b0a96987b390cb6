import type { PendingDelivery } from './rows.ts';

/** How many requests one webhook gets at the same time. */
const widest = 8;

/**
 * The deliveries that wait for one webhook. Of the deliveries of each resource only the oldest is tried, so that events
 * arrive in the order of the resource's changes (B108). Deliveries of different resources do not wait for each other.
 * Each webhook has its own lane, so a dead receiver delays no other.
 */
export class WebhookLane {
  #queues = new Map<string, PendingDelivery[]>();
  #due: PendingDelivery[] = [];
  #running = new Set<string>();
  /** Deliveries that let later ones of their resource pass: each of them has its own queue. */
  #aside = new Set<string>();

  /** Queues a delivery; gives true if no delivery of its resource is before it. */
  add(delivery: PendingDelivery): boolean {
    const queue = this.#queues.get(this.#queueOf(delivery));
    if (queue) queue.push(delivery);
    else this.#queues.set(this.#queueOf(delivery), [delivery]);
    return queue === undefined;
  }

  has(delivery: PendingDelivery): boolean {
    return this.#queues.get(this.#queueOf(delivery))?.some(({ id }) => id === delivery.id) ?? false;
  }

  /**
   * Lets later deliveries pass the oldest one of its resource, which is then tried at the same time. Gives the next
   * delivery, which may be tried from now on.
   */
  setAside(delivery: PendingDelivery): PendingDelivery | undefined {
    const next = this.ended(delivery);
    this.#aside.add(delivery.id);
    this.add(delivery);
    return next;
  }

  /** Notes that a delivery is due. */
  becameDue(delivery: PendingDelivery): void {
    this.#due.push(delivery);
  }

  /** Gives the deliveries that may be tried now. Each counts as running until {@link tried}. */
  *take(): Generator<PendingDelivery> {
    while (this.#running.size < widest) {
      const next = this.#due.shift();
      if (!next) return;
      this.#running.add(next.id);
      yield next;
    }
  }

  tried(delivery: PendingDelivery): void {
    this.#running.delete(delivery.id);
  }

  /** Removes a delivery that has ended; gives the next one of its resource, which may be tried from now on. */
  ended(delivery: PendingDelivery): PendingDelivery | undefined {
    const name = this.#queueOf(delivery);
    const queue = this.#queues.get(name);
    if (queue?.[0]?.id !== delivery.id) return undefined;
    queue.shift();
    if (queue.length === 0) this.#queues.delete(name);
    this.#aside.delete(delivery.id);
    return queue[0];
  }

  #queueOf({ id, resource_id }: PendingDelivery): string {
    return this.#aside.has(id) ? `aside ${id}` : resource_id;
  }

  /** Gives all deliveries that wait. */
  *waiting(): Generator<PendingDelivery> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
