import { isoTime } from '../../shared/clock.ts';
import type { CommitResult } from '../../shared/database/change.ts';
import type { Note } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Environment } from '../store/ownership.ts';
import { having, type Pagination, rowById } from '../store/read-rows.ts';
import type { EventRow } from '../store/rows/events.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Change, Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { LiveEvents, type OtherMakers } from './live-events.ts';
import {
  type DeliveredType,
  type EventData,
  type EventType,
  resultType,
  type StoredEventView,
} from './schemas.ts';

/** A new event. It names the account to which it belongs. */
export type NewEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    accountId: string;
    environment: Environment;
    type: Each;
    /** The debit, refund or credit that the event is about. Events of one resource are delivered in their order. */
    resourceId: string;
    data: EventData<Each>;
  };
}[Type];

/** The result of a message that was answered before the result was known. */
export interface NewResult {
  accountId: string;
  environment: Environment;
  type: typeof resultType;
  /** The identifier of the payment, or of the message if there is no payment. */
  resourceId: string;
  /** The body that is sent. */
  data: object;
}

interface Stored<Type extends DeliveredType, Data> {
  /** A UUID. It is the same for every delivery of the event. */
  readonly id: string;
  /** A number that goes up in the order of the changes to a debit or credit. Numbers may be missing. */
  readonly seq: number;
  readonly accountId: string;
  readonly environment: Environment;
  readonly type: Type;
  readonly resourceId: string;
  /** The time in milliseconds since 1970. */
  readonly createdAt: number;
  readonly data: Data;
}

/** An event that is on disk. */
export type StoredEvent = Stored<EventType, EventData>;
/** An event or a result on disk, as it is delivered to webhooks. */
export type Deliverable = StoredEvent | Stored<typeof resultType, object>;

/**
 * Called with new events after they are on disk, in their order. Each event comes once per process. The function must
 * not throw.
 */
type EventListener = (events: readonly StoredEvent[]) => void;

/** The part of the webhooks that makes deliveries of events. */
interface Deliverer {
  /** Makes the deliveries of an event before it is stored. */
  deliveriesOf(event: Deliverable): WebhookDeliveryRow[];
  /** Gives the changes that store deliveries together with the event. */
  store(deliveries: readonly WebhookDeliveryRow[]): Change[];
  /** Called when deliveries are on disk. It must not throw. */
  made(deliveries: readonly WebhookDeliveryRow[]): void;
}

/**
 * The row that an event or another change is about. If there are other gateways, the row must still have this
 * `version`; otherwise the change is refused.
 */
interface Changed {
  table: 'debits' | 'credits';
  id: string;
  version: number;
}

/** The particulars of a commit that has an event. */
interface Around {
  of?: Changed;
  notes?: readonly Note[];
}

/**
 * The numbers of events follow the time if there are other gateways. This many numbers belong to a millisecond. If more
 * events are made, the numbers run ahead of the time.
 */
const numbersPerMs = 1_024;

/**
 * Stores each event in the same batch as the change that it reports, with the event's deliveries. So there is no event
 * without its change and no change without its event, and no event is lost or delivered from two batches (B136).
 */
export class EventStore {
  #runtime: Runtime;
  #store: Store;
  #seq: number;
  readonly #others: OtherMakers | undefined;
  #listeners = new Set<EventListener>();
  #deliverer: Deliverer = { deliveriesOf: () => [], store: () => [], made: () => {} };
  /** Reports the events of all gateways. It is set if there are other gateways and a listener. */
  #live: LiveEvents<StoredEvent> | undefined;
  #stopped = false;

  private constructor(runtime: Runtime, store: Store, seq: number, others?: OtherMakers) {
    this.#runtime = runtime;
    this.#store = store;
    this.#seq = seq;
    this.#others = others;
  }

  /** `others` are the other gateways of the database. It is undefined if this process alone uses the database. */
  static async open(runtime: Runtime, store: Store, others?: OtherMakers): Promise<EventStore> {
    const last = await store.read((db) =>
      db
        .selectFrom('events')
        .select((select) => select.fn.max('seq').as('seq'))
        .executeTakeFirst(),
    );
    return new EventStore(runtime, store, Number(last?.seq ?? 0), others);
  }

  /** From now on `deliverer` makes the deliveries of each event when the event is made. */
  deliverBy(deliverer: Deliverer): void {
    this.#deliverer = deliverer;
  }

  /**
   * Commits changes together with the event that reports them. After the commit it calls `applied`, writes `notes` and
   * the event to the journal, and notifies the listeners. All this happens in the order of the changes.
   */
  commit(
    changes: readonly Change[],
    { event, ...around }: { event?: NewEvent } & Around,
    applied?: () => void,
  ): Promise<CommitResult> {
    return this.#commit(changes, event, around, applied);
  }

  /** Commits a result with its deliveries, together with other changes. */
  commitResult(changes: readonly Change[], result: NewResult): Promise<CommitResult> {
    return this.#commit(changes, result, {});
  }

  async #commit(
    changes: readonly Change[],
    event: NewEvent | NewResult | undefined,
    { of, notes = [] }: Around,
    applied?: () => void,
  ): Promise<CommitResult> {
    const seq = this.#nextSeq(of?.version);
    const stored = event && this.#stored(event, seq);
    const deliveries = stored ? this.#deliverer.deliveriesOf(stored) : [];
    const result = await this.#store.commit([
      ...changes,
      ...(of && this.#others ? [versionStep(of, seq)] : []),
      ...(stored ? [{ insert: 'events', row: rowOf(stored) } as const] : []),
      ...this.#deliverer.store(deliveries),
    ]);
    if (result.is === 'refused') return result;
    applied?.();
    for (const { kind, data, about } of notes) this.#runtime.journal.add(kind, data, about);
    if (stored && !this.#stopped) this.#publish(stored);
    if (deliveries.length > 0) this.#deliverer.made(deliveries);
    return result;
  }

  /** Notifies no listener any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#live?.stop();
  }

  /**
   * Calls `listener` with every event from now on, after its commit, whichever gateway makes it. Returns a function
   * that stops this.
   */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    if (this.#others && !this.#stopped) this.#live ??= this.#liveEvents(this.#others);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      void this.#live?.stop();
      this.#live = undefined;
    };
  }

  /** Reports now the events that other gateways made. Resolves when that is done. */
  async look(): Promise<void> {
    await this.#live?.look();
  }

  /** Reads events that an earlier release stored without deliveries, the oldest first. */
  async undispatched(tx: Tx, limit: number): Promise<Deliverable[]> {
    const rows = await tx
      .selectFrom('events')
      .selectAll()
      .where('dispatched_at', 'is', null)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(deliverableOf);
  }

  /** Reads a page of events, the latest first. `before` is the id of the last event on the previous page. */
  async list(
    filter: Pagination & { accountId?: string; type?: EventType; resourceId?: string },
  ): Promise<StoredEvent[]> {
    const rows = await this.#store.read((db) => {
      let query = changes(db).orderBy('seq', 'desc').orderBy('id', 'desc');
      const { before, accountId, type, resourceId } = filter;
      if (before !== undefined)
        query = query.where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('seq', 'id'),
            '<',
            selectFrom('events as last')
              .select(['last.seq', 'last.id'])
              .where('last.id', '=', before)
              .$asTuple('seq', 'id'),
          ),
        );
      const events = having(query, { account_id: accountId, type, resource_id: resourceId });
      return events.limit(filter.limit).execute();
    });
    return rows.map(eventOf);
  }

  async byId(tx: Tx, id: string): Promise<Deliverable | undefined> {
    const row = await rowById(tx, 'events', id);
    return row && deliverableOf(row);
  }

  /**
   * Gives a number for an event, in the order of the changes. A lone gateway gives the next number. One of several
   * gateways makes the number from the time, so that two gateways rarely give the same one. The number is higher than
   * `version`, the number of the latest change to the same debit or credit.
   */
  #nextSeq(version = 0): number {
    if (this.#others) this.#seq = Math.max(this.#seq, version, this.#runtime.clock.now() * numbersPerMs);
    return ++this.#seq;
  }

  #stored(event: NewEvent | NewResult, seq: number): Deliverable {
    const { accountId, environment, resourceId, ...what } = event;
    const { identifiers, clock } = this.#runtime;
    return {
      id: identifiers.next(),
      seq,
      accountId,
      environment,
      resourceId,
      createdAt: clock.now(),
      ...what,
    };
  }

  #publish(event: Deliverable): void {
    const { id, type, resourceId: resource } = event;
    this.#runtime.journal.add('event.published', { event: id, type, resource });
    if (event.type === resultType) return;
    if (!this.#others) return this.#notify([event]);
    void this.look();
    this.#others.tell();
  }

  #notify(events: readonly StoredEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  #liveEvents(others: OtherMakers): LiveEvents<StoredEvent> {
    const { clock, realClock } = this.#runtime;
    return new LiveEvents({
      clock,
      realClock,
      others,
      read: async (sinceMs) =>
        (await this.#store.read((tx) => numberedFrom(tx, sinceMs * numbersPerMs))).map(eventOf),
      notify: (events) => this.#notify(events),
    });
  }
}

/**
 * Gives a change to add to a batch. With it the database refuses the batch if another gateway has changed the row
 * meanwhile.
 */
function versionStep({ table, id, version }: Changed, seq: number): Change {
  return { update: table, where: { id, version }, set: { version: seq } };
}

function numberedFrom(tx: Tx, seq: number): Promise<EventRow[]> {
  return changes(tx).where('seq', '>=', seq).orderBy('seq').orderBy('id').execute();
}

/** Selects the events that lists show, which are all except results. */
function changes(tx: Tx) {
  return tx.selectFrom('events').selectAll().where('type', '!=', resultType);
}

function rowOf(event: Deliverable): EventRow {
  return {
    id: event.id,
    account_id: event.accountId,
    environment: event.environment,
    seq: event.seq,
    type: event.type,
    resource_id: event.resourceId,
    created_at: event.createdAt,
    data: JSON.stringify(event.data),
    dispatched_at: event.createdAt,
  };
}

/** Makes the form in which the control API shows an event. */
export function eventView(event: StoredEvent): StoredEventView {
  const { seq: _, createdAt, ...same } = event;
  return { ...same, createdAt: isoTime(createdAt) };
}

function eventOf(row: EventRow): StoredEvent {
  return deliverableOf(row) as StoredEvent;
}

function deliverableOf(row: EventRow): Deliverable {
  return {
    id: row.id,
    seq: row.seq,
    accountId: row.account_id,
    environment: row.environment,
    resourceId: row.resource_id,
    createdAt: row.created_at,
    ...({ type: row.type, data: JSON.parse(row.data) } as Pick<StoredEvent, 'type' | 'data'>),
  };
}
