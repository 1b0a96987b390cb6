import type { PendingDelivery } from './rows.ts';

/** The maximum number of requests to one webhook at the same time. */
const mostAtOnce = 8;

/**
 * The queue of the deliveries to one webhook. For each resource, only the oldest delivery is tried, so that events
 * arrive in the order of the changes (B108). Deliveries about different resources do not wait for each other. Each
 * webhook has a queue of its own, so a receiver that does not answer does not delay deliveries to other receivers.
 */
export class WebhookDeliveryQueue {
  /** The deliveries about each resource, oldest first. */
  #byResource = new Map<string, PendingDelivery[]>();
  #due: PendingDelivery[] = [];
  #running = new Set<string>();
  /**
   * The deliveries that later deliveries about the same resource may overtake. Each delivery that may be overtaken is
   * in a queue of its own.
   */
  #aside = new Set<string>();

  /** Adds a delivery. Returns true if no other delivery about the same resource comes before it. */
  add(delivery: PendingDelivery): boolean {
    const queue = this.#byResource.get(this.#queueOf(delivery));
    if (queue) queue.push(delivery);
    else this.#byResource.set(this.#queueOf(delivery), [delivery]);
    return queue === undefined;
  }

  has(delivery: PendingDelivery): boolean {
    return this.#byResource.get(this.#queueOf(delivery))?.some(({ id }) => id === delivery.id) ?? false;
  }

  /**
   * Takes the oldest delivery about a resource out of the resource's queue, so that later deliveries may overtake it.
   * The oldest delivery is tried at the same time as the later ones. Gives the next delivery about the resource. This
   * delivery may be tried now.
   */
  setAside(delivery: PendingDelivery): PendingDelivery | undefined {
    const next = this.removeFirst(delivery);
    this.#aside.add(delivery.id);
    this.add(delivery);
    return next;
  }

  /** Notes that a delivery is due. */
  becameDue(delivery: PendingDelivery): void {
    this.#due.push(delivery);
  }

  /** Gives the deliveries that may be tried now. Each delivery counts as running until {@link tried} is called. */
  *takeDue(): Generator<PendingDelivery> {
    while (this.#running.size < mostAtOnce) {
      const next = this.#due.shift();
      if (!next) return;
      this.#running.add(next.id);
      yield next;
    }
  }

  tried(delivery: PendingDelivery): void {
    this.#running.delete(delivery.id);
  }

  /**
   * Removes a delivery, if no other delivery about the same resource comes before it. Gives the next delivery about the
   * resource. This delivery may be tried now.
   */
  removeFirst(delivery: PendingDelivery): PendingDelivery | undefined {
    const name = this.#queueOf(delivery);
    const queue = this.#byResource.get(name);
    if (queue?.[0]?.id !== delivery.id) return undefined;
    queue.shift();
    if (queue.length === 0) this.#byResource.delete(name);
    this.#aside.delete(delivery.id);
    return queue[0];
  }

  #queueOf({ id, resource_id }: PendingDelivery): string {
    return this.#aside.has(id) ? `aside ${id}` : resource_id;
  }

  /** Gives all deliveries that wait. */
  *waiting(): Generator<PendingDelivery> {
    for (const queue of this.#byResource.values()) yield* queue;
  }
}
