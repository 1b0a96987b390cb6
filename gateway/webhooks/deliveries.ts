import { computeRetryBackoffMs } from '../../shared/deadlines.ts';
import type { Duty, DutyAssigner } from '../engine/duties.ts';
import { adyenResultType } from '../events/schemas.ts';
import type { EventStore } from '../events/service.ts';
import type { Faults } from '../faults/faults.ts';
import { ApiError } from '../http/errors.ts';
import type { RowChange } from '../store/schema.ts';
import type { StoreParts } from '../store/store.ts';
import type { AddressRules } from './addresses.ts';
import type { DecidedDelivery } from './commit-delivery-input.ts';
import { DeliveryAttemptRunner } from './delivery-attempts.ts';
import { DeliveryMaker } from './delivery-maker.ts';
import { WebhookDeliveryQueue } from './delivery-queue.ts';
import { makeDeliveryView } from './delivery-view.ts';
import { EventFaultTracker } from './event-faults.ts';
import { type PostResult, pickJournaledFields, type postWebhookMessage } from './post.ts';
import {
  listDeliveries,
  type PendingDelivery,
  readDeliveriesToWake,
  readDeliveryById,
  readPendingDeliveries,
} from './rows.ts';
import type { WebhookDelivery } from './schemas.ts';
import type { WebhookService } from './service.ts';
import { WaitingDeliveries } from './waiting-deliveries.ts';

/**
 * Only one gateway at a time has the duty to send events. It gets this duty for the length of an attempt plus this many
 * ms. The extra time is needed because the gateway may renew the duty late.
 */
const dutySlackMs = 5_000;

interface DeliveryParts extends StoreParts {
  events: EventStore;
  webhooks: WebhookService;
  rules: AddressRules;
  faults: Faults;
  post: typeof postWebhookMessage;
  /** The number of real ms for which a virtual clock waits for a receiver. */
  patienceMs?: number;
  duties: DutyAssigner;
}

/**
 * Sends events to webhooks. Each event is sent at least once. If the receiver does not answer 2xx, the event is sent
 * again by the schedule (B107). If a process ends, the next process makes the remaining deliveries. If there are
 * several gateways, only one of them sends events: the one that has the duty. Every gateway stores a notice with each
 * delivery. The sending gateway reads the notices in the order of the events, and so keeps the order of the changes.
 */
export class WebhookDeliveryScheduler {
  readonly #parts: DeliveryParts;
  readonly #attempts: DeliveryAttemptRunner;
  readonly #faults: EventFaultTracker;
  #duty: Duty | undefined;
  /** Whether this gateway has read the pending deliveries since it got the duty to send events. */
  #hasReadPending = false;
  /** The queue of each webhook. */
  #queues = new Map<string, WebhookDeliveryQueue>();
  #waiting: WaitingDeliveries;
  /** For each delivery, the number of attempts in a row whose results could not be stored. */
  #failedWrites = new Map<string, number>();
  #deliveryMaker: DeliveryMaker;
  #running = new Set<Promise<void>>();

  private constructor(parts: DeliveryParts) {
    this.#parts = parts;
    const { runtime, duties } = parts;
    this.#faults = new EventFaultTracker(parts.faults);
    this.#attempts = new DeliveryAttemptRunner({ ...parts, faults: this.#faults });
    this.#waiting = new WaitingDeliveries(runtime, (delivery) => this.#becomeDue(delivery));
    this.#deliveryMaker = new DeliveryMaker(parts, (made) => {
      if (this.#duty) return this.#duty.tell();
      for (const delivery of made) this.#enqueue(delivery);
    });
    parts.webhooks.onSilenced((id) => this.#releaseAllOf(id));
    this.#duty = duties.share('deliveries', runtime.timeouts.webhookAnswerMs + dutySlackMs, {
      sweep: () => this.#sweep(),
      forget: () => this.#forget(),
    });
  }

  static async open(parts: DeliveryParts): Promise<WebhookDeliveryScheduler> {
    const deliveries = new WebhookDeliveryScheduler(parts);
    if (!deliveries.#duty) await deliveries.#readPending();
    return deliveries;
  }

  /** Gives deliveries with all their attempts, the latest first. */
  async list(filter: Parameters<typeof listDeliveries>[1]): Promise<WebhookDelivery[]> {
    return (await this.#parts.store.read((tx) => listDeliveries(tx, filter))).map(makeDeliveryView);
  }

  /**
   * Sends a delivery again now, whatever its state is. If the delivery still waits for an attempt of the schedule, and
   * this attempt fails, the delivery stays in the schedule.
   *
   * @throws ApiError notFound if there is no such delivery, conflict if its webhook was deleted
   */
  async replay(deliveryId: string): Promise<WebhookDelivery> {
    const delivery = await this.#parts.store.read((tx) => readDeliveryById(tx, deliveryId.toLowerCase()));
    if (!delivery) throw new ApiError('notFound', { message: 'The delivery does not exist' });
    if (!this.#parts.webhooks.find(delivery.webhook_id))
      throw new ApiError('conflict', { message: 'The webhook of this delivery was deleted' });
    await this.#attempts.byHand(delivery.id);
    const [after] = await this.list({ id: delivery.id, limit: 1 });
    if (this.#duty) this.#duty.tell();
    else if (after?.state === 'delivered') this.#waiting.release(delivery.id);
    return after as WebhookDelivery;
  }

  /**
   * Sends a message with a wrong signature to a webhook's receiver. The answer shows whether the receiver checks
   * signatures.
   *
   * @throws ApiError notFound if there is no such webhook, conflict if the webhook gets no signed messages
   */
  async probe(webhookId: string): Promise<PostResult> {
    const webhook = this.#parts.webhooks.row(webhookId);
    if (webhook.types === JSON.stringify([adyenResultType]))
      throw new ApiError('conflict', {
        message: `${adyenResultType} events are not signed, so a forged event cannot be sent`,
      });
    const posted = await this.#attempts.probe(webhook);
    this.#parts.runtime.journal.add('webhook.probed', { webhook: webhookId, ...pickJournaledFields(posted) });
    return posted;
  }

  /**
   * Breaks off the attempts that are being made. The next process makes these attempts again. When this function has
   * resolved, nothing more is stored.
   */
  async stop(): Promise<void> {
    this.#waiting.stop();
    this.#attempts.stop();
    await Promise.allSettled([this.#deliveryMaker.stop(), ...this.#running]);
  }

  async #readPending(): Promise<void> {
    const token = this.#duty?.token;
    const pending = await this.#parts.store.read(readPendingDeliveries);
    if (this.#duty?.token !== token) return;
    for (const delivery of pending) this.#enqueue(delivery);
    this.#hasReadPending = true;
    this.#deliveryMaker.makeMissing();
  }

  /**
   * Reads the notices, and begins the deliveries that the notices name. The notices are deleted only if this gateway
   * still has the duty to send events.
   */
  async #sweep(): Promise<void> {
    const { store } = this.#parts;
    const duty = this.#duty as Duty;
    if (!this.#hasReadPending) await this.#readPending();
    const { token } = duty;
    const noticed = await store.read(readDeliveriesToWake);
    if (duty.token === undefined || duty.token !== token || !this.#hasReadPending) return;
    for (const { notice: _, state, ...delivery } of noticed) {
      if (state !== 'pending') this.#waiting.release(delivery.id);
      else if (!this.#queues.get(delivery.webhook_id)?.has(delivery)) this.#enqueue(delivery);
    }
    for (const queue of this.#queues.values()) this.#startAttempts(queue);
    if (noticed.length === 0) return;
    const read = noticed.map(
      ({ notice: id }): RowChange => ({ delete: 'delivery_notices', where: { id }, rows: 'any' }),
    );
    await store.commit([duty.held(), ...read]);
  }

  #forget(): void {
    this.#hasReadPending = false;
    for (const queue of this.#queues.values()) {
      for (const delivery of queue.waiting()) {
        this.#waiting.forget(delivery.id);
        this.#faults.forget(delivery);
      }
    }
    this.#queues.clear();
  }

  /**
   * Returns whether an attempt may begin. The attempt must end before another gateway can get the duty to send events.
   */
  #mayBegin(): boolean {
    return !this.#duty || this.#duty.leftMs >= this.#parts.runtime.timeouts.webhookAnswerMs;
  }

  #enqueue(delivery: PendingDelivery): void {
    let queue = this.#queues.get(delivery.webhook_id);
    if (!queue) {
      queue = new WebhookDeliveryQueue();
      this.#queues.set(delivery.webhook_id, queue);
    }
    if (queue.add(delivery)) this.#schedule(delivery, queue);
  }

  /**
   * Lets a delivery wait until it is due. Does nothing if there is no delivery, or if the queue of its webhook is no
   * longer used.
   */
  #schedule(delivery: PendingDelivery | undefined, queue: WebhookDeliveryQueue): void {
    if (!delivery || this.#attempts.stopped || this.#queues.get(delivery.webhook_id) !== queue) return;
    this.#waiting.add(delivery);
  }

  #becomeDue(delivery: PendingDelivery): void {
    const queue = this.#queues.get(delivery.webhook_id);
    if (!queue) return;
    queue.becameDue(delivery);
    this.#startAttempts(queue);
  }

  #startAttempts(queue: WebhookDeliveryQueue): void {
    if (this.#attempts.stopped || !this.#mayBegin()) return;
    for (const delivery of queue.takeDue()) {
      // A gateway that loses the duty to deliver drops its queues. When it gets the duty again, it makes new queues.
      // From then on, attempts are made only from the new queues.
      const mayBegin = () => this.#queues.get(delivery.webhook_id) === queue && this.#mayBegin();
      const work = this.#attempts.bySchedule(delivery.id, mayBegin).then(
        (after) => this.#afterAttempt(delivery, queue, after),
        (error: unknown) => {
          queue.tried(delivery);
          if (!this.#attempts.stopped) this.#afterFailedWrite(delivery, queue, error);
        },
      );
      this.#track(work);
    }
  }

  /**
   * Handles the end of an attempt: schedules another attempt, or the next delivery. `after` is the delivery on disk;
   * undefined if there is none.
   */
  #afterAttempt(
    delivery: PendingDelivery,
    queue: WebhookDeliveryQueue,
    after: DecidedDelivery | undefined,
  ): void {
    queue.tried(delivery);
    this.#failedWrites.delete(delivery.id);
    if (after?.state === 'pending') {
      const next = this.#faults.isAside(delivery) ? queue.setAside(delivery) : undefined;
      this.#schedule(next, queue); // the next delivery may overtake this delivery
      const { tries, due_at, decidedAt } = after;
      this.#schedule({ ...delivery, tries, due_at, decidedAt }, queue);
    } else {
      this.#faults.forget(delivery);
      this.#schedule(queue.removeFirst(delivery), queue);
    }
    const overtaken = this.#faults.overtakenBy(delivery);
    if (overtaken !== undefined) this.#waiting.release(overtaken);
    this.#startAttempts(queue);
  }

  /** Schedules another attempt, because the result of the last attempt could not be stored (B68, B107). */
  #afterFailedWrite(delivery: PendingDelivery, queue: WebhookDeliveryQueue, error: unknown): void {
    const failures = (this.#failedWrites.get(delivery.id) ?? 0) + 1;
    this.#failedWrites.set(delivery.id, failures);
    const message = `webhook delivery ${delivery.id} could not be written yet; the gateway will try again: ${error}`;
    if (failures === 1) this.#parts.runtime.journal.add('warning', { message });
    if (this.#queues.get(delivery.webhook_id) !== queue) return;
    this.#waiting.addFor(delivery, computeRetryBackoffMs(failures));
  }

  /**
   * Ends the waiting deliveries of a webhook that was disabled or deleted. Most of these deliveries have ended on disk
   * already. But a delivery may still be pending if it was being stored while the webhook was disabled or deleted. So
   * each delivery is handled in its turn, and ends then if it has not ended yet (B351).
   */
  #releaseAllOf(webhookId: string): void {
    for (const delivery of [...(this.#queues.get(webhookId)?.waiting() ?? [])])
      this.#waiting.release(delivery.id);
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}
