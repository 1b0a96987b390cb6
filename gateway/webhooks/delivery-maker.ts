import { DeadlineScheduler } from '../../shared/deadlines.ts';
import type { IdentifierGenerator } from '../../shared/random.ts';
import { readUndispatchedEvents } from '../events/event-queries.ts';
import type { EventStore } from '../events/service.ts';
import type { Deliverable } from '../events/stored-event.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { RowChange } from '../store/schema.ts';
import { type StoreParts, throwIfCommitRefused } from '../store/store.ts';
import type { WebhookService } from './service.ts';

/** The maximum number of events whose deliveries are stored in one batch. */
const atOnce = 100;

interface DeliveryMakerParts extends StoreParts {
  events: EventStore;
  webhooks: WebhookService;
}

/**
 * Makes the deliveries of events. The deliveries of a new event are stored together with the event. An earlier release
 * stored events without deliveries. The gateway makes the missing deliveries when it starts. If it fails to make them,
 * it tries again (B68).
 */
export class DeliveryMaker {
  readonly #parts: DeliveryMakerParts;
  readonly #onMade: (deliveries: readonly WebhookDeliveryRow[]) => void;
  /**
   * Decides when to try again to make the missing deliveries. This scheduler has only one entry, with the name
   * `events`.
   */
  readonly #retries: DeadlineScheduler;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: DeliveryMakerParts, made: (deliveries: readonly WebhookDeliveryRow[]) => void) {
    this.#parts = parts;
    this.#onMade = made;
    const { clock, journal } = parts.runtime;
    this.#retries = new DeadlineScheduler(clock, {
      run: () => this.#startMakingMissing(),
      failed: (_, error, failures) => {
        const message = `events could not be passed on to webhooks yet; the gateway will try again: ${error}`;
        if (failures === 1) journal.add('warning', { message });
      },
    });
    parts.events.deliverBy({
      deliveriesOf: (event) => this.#deliveriesOf(event),
      changesToStore: (deliveries) => this.#changesToStore(deliveries),
      onStored: made,
    });
  }

  /** Makes the deliveries of events that an earlier release stored without deliveries. */
  makeMissing(): void {
    this.#retries.doNow('events');
  }

  /** Stops the work. When this function has resolved, nothing more is stored. */
  async stop(): Promise<void> {
    this.#retries.stop();
    await this.#running;
  }

  #startMakingMissing(): Promise<void> {
    const work = this.#makeMissing();
    this.#running = work.catch(() => {});
    return work;
  }

  async #makeMissing(): Promise<void> {
    const { runtime, store } = this.#parts;
    for (;;) {
      const some = await store.read((tx) => readUndispatchedEvents(tx, atOnce));
      if (some.length === 0) return;
      const made = some.flatMap((event) => this.#deliveriesOf(event));
      const set = { dispatched_at: runtime.clock.now() };
      await throwIfCommitRefused(
        store.commit([
          ...this.#changesToStore(made),
          ...some.map(({ id }): RowChange => ({ update: 'events', where: { id, dispatched_at: null }, set })),
        ]),
      );
      this.#onMade(made);
    }
  }

  /**
   * Gives the changes that store deliveries. If several gateways share the database, the changes include a notice of
   * each delivery, because another gateway may be the one that delivers.
   */
  #changesToStore(deliveries: readonly WebhookDeliveryRow[]): RowChange[] {
    const { store, runtime } = this.#parts;
    const rows = deliveries.map((row): RowChange => ({ insert: 'webhook_deliveries', row }));
    return store.isShared
      ? [...rows, ...deliveries.map(({ id }) => makeDeliveryWakeUp(id, runtime.identifiers))]
      : rows;
  }

  #deliveriesOf(event: Deliverable): WebhookDeliveryRow[] {
    const { runtime, webhooks } = this.#parts;
    const now = runtime.clock.now();
    return webhooks.wanting(event).map((webhook) => ({
      id: runtime.identifiers.next(),
      account_id: event.accountId,
      environment: event.environment,
      webhook_id: webhook.id,
      event_id: event.id,
      event_seq: event.seq,
      resource_id: event.resourceId,
      state: 'pending',
      why: 'the delivery waits for earlier deliveries',
      tries: 0,
      due_at: now,
      created_at: now,
      ended_at: null,
    }));
  }
}

/** Makes a notice that tells the delivering gateway to handle this delivery. */
export function makeDeliveryWakeUp(delivery_id: string, identifiers: IdentifierGenerator): RowChange {
  return { insert: 'delivery_notices', row: { id: identifiers.next(), delivery_id } };
}
