import { isoTime } from '../../shared/clock.ts';
import { Deadlines } from '../../shared/deadlines.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Environment } from '../store/ownership.ts';
import type { EventRow } from '../store/rows/events.ts';
import type { Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { EventData, EventType, StoredEventView } from './schemas.ts';

/** What happened, for the account it belongs to. */
export type NewEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    accountId: string;
    environment: Environment;
    type: Each;
    /** The debit, refund or credit it is about; events of one resource are delivered in their order. */
    resourceId: string;
    data: EventData<Each>;
  };
}[Type];

/** An event that is on disk. */
export interface StoredEvent {
  /** A UUID; the same however often the event is delivered. */
  readonly id: string;
  /** Counts up in the order of the changes that the events report; numbers may be missing. */
  readonly seq: number;
  readonly accountId: string;
  readonly environment: Environment;
  readonly type: EventType;
  readonly resourceId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly data: EventData;
}

/** Called with events once they are on disk, in their order, each once per process. Must not throw. */
type EventListener = (events: readonly StoredEvent[]) => void;

/**
 * Events, each stored in the transaction of the change it reports: no event without its change, and no change
 * without its event (B136).
 *
 * The component that delivers reads {@link undispatched} at start and whenever a listener is called, makes deliveries of what
 * it finds and marks it dispatched, both in one transaction; then no event is lost or handed on twice.
 */
export class EventStore {
  #runtime: Runtime;
  #store: Store;
  #seq: number;
  /** The last event the listeners were notified of. */
  #notifiedSeq: number;
  #notifying = false;
  /** Tells, and tries again where the events cannot be read; its one deadline has the name `events`. */
  #tellings: Deadlines;
  #listeners = new Set<EventListener>();
  #isWanted: (event: NewEvent) => boolean = () => true;

  private constructor(runtime: Runtime, store: Store, seq: number) {
    this.#runtime = runtime;
    this.#store = store;
    this.#seq = seq;
    this.#notifiedSeq = seq;
    this.#tellings = new Deadlines(runtime.clock, {
      run: () => this.#readAndTell(),
      failed: (_, error, failures) => {
        if (failures > 1) return;
        runtime.journal.add('warning', { message: `events could not be read yet: ${error}` });
      },
    });
  }

  static async open(runtime: Runtime, store: Store): Promise<EventStore> {
    const last = await store.read((db) =>
      db
        .selectFrom('events')
        .select((select) => select.fn.max('seq').as('seq'))
        .executeTakeFirst(),
    );
    return new EventStore(runtime, store, Number(last?.seq ?? 0));
  }

  /**
   * From now on only events that a webhook wants, at the moment of their change, are handed on to be delivered; for the
   * others there is nothing more to write.
   */
  handOnOnly(isWanted: (event: NewEvent) => boolean): void {
    this.#isWanted = isWanted;
  }

  /** Stores an event in the transaction of its change. Listeners are notified after the commit. */
  async publish(tx: Tx, event: NewEvent): Promise<StoredEvent> {
    const now = this.#runtime.clock.now();
    const row: EventRow = {
      id: this.#runtime.identifiers.next(),
      account_id: event.accountId,
      environment: event.environment,
      seq: ++this.#seq,
      type: event.type,
      resource_id: event.resourceId,
      created_at: now,
      data: JSON.stringify(event.data),
      dispatched_at: this.#isWanted(event) ? null : now,
    };
    await tx.insertInto('events').values(row).execute();
    this.#notifyLater();
    return eventOf(row);
  }

  /** From now on no listener is notified. */
  stop(): void {
    this.#tellings.stop();
  }

  /** Calls `listener` with every event from now on, after its commit; returns how to stop. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Events not yet handed on to be delivered, the oldest first. */
  async undispatched(tx: Tx, limit = 100): Promise<StoredEvent[]> {
    const rows = await tx
      .selectFrom('events')
      .selectAll()
      .where('dispatched_at', 'is', null)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(eventOf);
  }

  /** Marks events as handed on; do it in the transaction that stores their deliveries. */
  async markDispatched(tx: Tx, events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await tx
      .updateTable('events')
      .set({ dispatched_at: this.#runtime.clock.now() })
      .where(
        'id',
        'in',
        events.map(({ id }) => id),
      )
      .execute();
  }

  /** Events, the latest first. `before` is the id of the last one of the former page. */
  async list(filter: {
    limit: number;
    before?: string;
    accountId?: string;
    type?: EventType;
    resourceId?: string;
  }): Promise<StoredEvent[]> {
    const rows = await this.#store.read((db) => {
      let query = db.selectFrom('events').selectAll().orderBy('seq', 'desc').limit(filter.limit);
      const { before, accountId, type, resourceId } = filter;
      if (before !== undefined)
        query = query.where('seq', '<', (from) =>
          from.selectFrom('events as last').select('last.seq').where('last.id', '=', before),
        );
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      if (type !== undefined) query = query.where('type', '=', type);
      if (resourceId !== undefined) query = query.where('resource_id', '=', resourceId);
      return query.execute();
    });
    return rows.map(eventOf);
  }

  async byId(tx: Tx, id: string): Promise<StoredEvent | undefined> {
    const row = await tx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
    return row && eventOf(row);
  }

  /**
   * A write asked for inside a transaction has its turn after that one's commit, or its end without one, so what
   * it reads is what really happened.
   */
  #notifyLater(): void {
    if (!this.#notifying) this.#tellings.doNow('events');
  }

  async #readAndTell(): Promise<void> {
    this.#notifying = true;
    try {
      const rows = await this.#store.write((tx) => {
        this.#notifying = false;
        return tx
          .selectFrom('events')
          .selectAll()
          .where('seq', '>', this.#notifiedSeq)
          .orderBy('seq')
          .execute();
      });
      this.#notify(rows.map(eventOf));
    } catch (error) {
      this.#notifying = false;
      throw error;
    }
  }

  #notify(read: StoredEvent[]): void {
    const events = read.filter(({ seq }) => seq > this.#notifiedSeq);
    const last = events.at(-1);
    if (!last) return;
    this.#notifiedSeq = last.seq;
    for (const { id, type, resourceId } of events)
      this.#runtime.journal.add('event.published', { event: id, type, resource: resourceId });
    for (const listener of this.#listeners) listener(events);
  }
}

/** An event as the control API shows it. */
export function eventView(event: StoredEvent): StoredEventView {
  const { seq: _, createdAt, ...same } = event;
  return { ...same, createdAt: isoTime(createdAt) };
}

function eventOf(row: EventRow): StoredEvent {
  return {
    id: row.id,
    seq: row.seq,
    accountId: row.account_id,
    environment: row.environment,
    type: row.type as EventType,
    resourceId: row.resource_id,
    createdAt: row.created_at,
    data: JSON.parse(row.data) as EventData,
  };
}
