import type { CommitResult } from '../../shared/database/change.ts';
import type { UnwrittenEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Pagination } from '../store/read-rows.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { RowChange, Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';
import {
  type EventFilter,
  readDeliverableById,
  readEventsSince,
  readHighestSeq,
  readLatestEvents,
} from './event-queries.ts';
import { LiveEventFeed, type OtherEventSources } from './live-events.ts';
import { adyenResultType } from './schemas.ts';
import {
  type Deliverable,
  makeEventRow,
  type NewAdyenResult,
  type NewEvent,
  type StoredEvent,
} from './stored-event.ts';

/**
 * Called with new events, in their order, when the events are on disk. The function gets each event once per process.
 * It must not throw an error.
 */
type EventListener = (events: readonly StoredEvent[]) => void;

/** The part of the webhook service that makes the deliveries of an event. */
interface Deliverer {
  /** Makes the deliveries of an event before the event is stored. */
  deliveriesOf(event: Deliverable): WebhookDeliveryRow[];
  /** Gives the changes that store deliveries together with the event. */
  changesToStore(deliveries: readonly WebhookDeliveryRow[]): RowChange[];
  /** Called when the deliveries are on disk. The function must not throw an error. */
  onStored(deliveries: readonly WebhookDeliveryRow[]): void;
}

/** A debit or credit that a commit changes. */
interface ChangedRow {
  table: 'debits' | 'credits';
  id: string;
  /**
   * The decision was based on this version of the row. If another gateway has changed the row since then, the database
   * refuses the commit.
   */
  version: number;
}

/** Says what a commit changes, for the events and the journal. */
interface CommitReport {
  event?: NewEvent;
  changedRow?: ChangedRow;
  /** The entries for the journal. */
  notes?: readonly UnwrittenEntry[];
}

/**
 * If there are several gateways, the number of an event follows from the time: each millisecond has this many numbers.
 * If a gateway makes more events in a millisecond, it also uses numbers of the next milliseconds.
 */
const numbersPerMs = 1_024;

/**
 * Stores each event and its deliveries in the same batch as the change that the event reports. So there is no change
 * without its event, and no event without its change. With two batches, an event could be lost or delivered twice
 * (B136).
 */
export class EventStore {
  #runtime: Runtime;
  #store: GatewayStore;
  #seq: number;
  readonly #otherGateways: OtherEventSources | undefined;
  #listeners = new Set<EventListener>();
  #deliverer: Deliverer = { deliveriesOf: () => [], changesToStore: () => [], onStored: () => {} };
  /** Reports the events of all gateways. It is undefined if there are no other gateways or no listener. */
  #live: LiveEventFeed<StoredEvent> | undefined;
  #stopped = false;

  private constructor(runtime: Runtime, store: GatewayStore, seq: number, otherGateways?: OtherEventSources) {
    this.#runtime = runtime;
    this.#store = store;
    this.#seq = seq;
    this.#otherGateways = otherGateways;
  }

  /** Opens the event store of a database. `otherGateways` is absent if only this process uses the database. */
  static async open(
    runtime: Runtime,
    store: GatewayStore,
    otherGateways?: OtherEventSources,
  ): Promise<EventStore> {
    return new EventStore(runtime, store, await store.read(readHighestSeq), otherGateways);
  }

  /** From now on, `deliverer` makes the deliveries of each new event. */
  deliverBy(deliverer: Deliverer): void {
    this.#deliverer = deliverer;
  }

  /**
   * Commits changes together with the event that reports them. After the commit, this function calls `applied`, writes
   * `notes` and the event to the journal, and notifies the listeners. If there are several commits, these steps are
   * done in the order of the commits.
   */
  commit(changes: readonly RowChange[], report: CommitReport, applied?: () => void): Promise<CommitResult> {
    return this.#commit(changes, report, applied);
  }

  /** Commits a result with its deliveries, together with other changes. */
  commitResult(changes: readonly RowChange[], result: NewAdyenResult): Promise<CommitResult> {
    return this.#commit(changes, { event: result });
  }

  async #commit(
    changes: readonly RowChange[],
    { event, changedRow, notes = [] }: Omit<CommitReport, 'event'> & { event?: NewEvent | NewAdyenResult },
    applied?: () => void,
  ): Promise<CommitResult> {
    const seq = this.#nextNumber(changedRow?.version);
    const stored = event && this.#toStore(event, seq);
    const deliveries = stored ? this.#deliverer.deliveriesOf(stored) : [];
    const result = await this.#store.commit([
      ...changes,
      ...(changedRow && this.#otherGateways ? [versionStep(changedRow, seq)] : []),
      ...(stored ? [{ insert: 'events', row: makeEventRow(stored) } as const] : []),
      ...this.#deliverer.changesToStore(deliveries),
    ]);
    if (result.is === 'refused') return result;
    applied?.();
    for (const { kind, data, about } of notes) this.#runtime.journal.add(kind, data, about);
    if (stored && !this.#stopped) this.#publish(stored);
    if (deliveries.length > 0) this.#deliverer.onStored(deliveries);
    return result;
  }

  /** From now on, no listener is notified. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#live?.stop();
  }

  /**
   * From now on, calls `listener` with every event of every gateway, after the event's commit. Returns a function that
   * ends these calls.
   */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    if (this.#otherGateways && !this.#stopped) this.#live ??= this.#liveEvents(this.#otherGateways);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      void this.#live?.stop();
      this.#live = undefined;
    };
  }

  /**
   * Reports the events of other gateways now, without waiting for the next reading. Resolves when these events have
   * been reported.
   */
  async reportOtherGateways(): Promise<void> {
    await this.#live?.readNow();
  }

  /** Gives the events, the latest first. */
  list(filter: EventFilter & Pagination): Promise<StoredEvent[]> {
    return this.#store.read((tx) => readLatestEvents(tx, filter));
  }

  byId(tx: Tx, id: string): Promise<Deliverable | undefined> {
    return readDeliverableById(tx, id);
  }

  /**
   * Gives a number for an event. A later change gets a higher number. A lone gateway takes the next number. If there
   * are several gateways, a gateway makes the number from the time, so that two gateways rarely use the same number.
   * The number is higher than `version`, which is the number of the latest change to the same debit or credit.
   */
  #nextNumber(version = 0): number {
    if (this.#otherGateways)
      this.#seq = Math.max(this.#seq, version, this.#runtime.clock.now() * numbersPerMs);
    return ++this.#seq;
  }

  #toStore(event: NewEvent | NewAdyenResult, seq: number): Deliverable {
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
    if (event.type === adyenResultType) return;
    if (!this.#otherGateways) return this.#notify([event]);
    void this.#live?.readNow();
    this.#otherGateways.tell();
  }

  #notify(events: readonly StoredEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  #liveEvents(otherGateways: OtherEventSources): LiveEventFeed<StoredEvent> {
    const { clock, realClock } = this.#runtime;
    return new LiveEventFeed({
      clock,
      realClock,
      otherGateways,
      read: (sinceMs) => this.#store.read((tx) => readEventsSince(tx, sinceMs * numbersPerMs)),
      notify: (events) => this.#notify(events),
    });
  }
}

/**
 * Gives a change to add to a batch of writes. With this change in the batch, the database refuses the batch if another
 * gateway has changed the row since the row was read.
 */
function versionStep({ table, id, version }: ChangedRow, seq: number): RowChange {
  return { update: table, where: { id, version }, set: { version: seq } };
}
