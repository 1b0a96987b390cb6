import { Deadlines } from '../../shared/deadlines.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EventStore, StoredEvent } from '../events/service.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { WebhookService } from './service.ts';

/** How many events are handed on in one transaction. */
const atOnce = 100;

/** Makes deliveries of events that have none yet, each once; what cannot be written is tried again (B68). */
export class HandOver {
  readonly #parts: { runtime: Runtime; store: Store; events: EventStore; webhooks: WebhookService };
  readonly #made: (deliveries: readonly WebhookDeliveryRow[]) => void;
  /** Its one deadline has the name `events`. */
  readonly #due: Deadlines;
  #queued = false;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    parts: { runtime: Runtime; store: Store; events: EventStore; webhooks: WebhookService },
    made: (deliveries: readonly WebhookDeliveryRow[]) => void,
  ) {
    this.#parts = parts;
    this.#made = made;
    const { clock, journal } = parts.runtime;
    this.#due = new Deadlines(clock, {
      run: () => this.#write(),
      failed: (_, error, failures) => {
        const message = `events could not be handed on to webhooks yet: ${error}`;
        if (failures === 1) journal.add('warning', { message });
      },
    });
  }

  handOn(): void {
    if (!this.#queued && !this.#stopped) this.#due.doNow('events');
  }

  /** Nothing is written once this resolves. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#due.stop();
    await this.#running;
  }

  #write(): Promise<void> {
    const work = this.#handOnSome();
    this.#running = work.catch(() => {});
    return work;
  }

  async #handOnSome(): Promise<void> {
    const { store, events } = this.#parts;
    this.#queued = true;
    try {
      const made: WebhookDeliveryRow[] = [];
      const handedOn = await store.write(async (tx) => {
        this.#queued = false;
        const some = await events.undispatched(tx, atOnce);
        for (const event of some) made.push(...(await this.#insert(tx, event)));
        await events.markDispatched(tx, some);
        return some.length;
      });
      this.#made(made);
      if (handedOn === atOnce) this.handOn();
    } catch (error) {
      this.#queued = false;
      throw error;
    }
  }

  async #insert(tx: Tx, event: StoredEvent): Promise<WebhookDeliveryRow[]> {
    const { runtime, webhooks } = this.#parts;
    const now = runtime.clock.now();
    const rows = webhooks.wanting(event).map(
      (webhook): WebhookDeliveryRow => ({
        id: runtime.identifiers.next(),
        account_id: event.accountId,
        environment: event.environment,
        webhook_id: webhook.id,
        event_id: event.id,
        event_seq: event.seq,
        resource_id: event.resourceId,
        state: 'pending',
        why: 'it is waiting for earlier deliveries',
        tries: 0,
        due_at: now,
        created_at: now,
        ended_at: null,
      }),
    );
    if (rows.length > 0) await tx.insertInto('webhook_deliveries').values(rows).execute();
    return rows;
  }
}
