import type { CommitResult } from '../../shared/database/change.ts';
import type { UnwrittenEntry } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Pagination } from '../store/read-rows.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Change, Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { deliverableById, type EventFilter, eventsSince, highestSeq, latestEvents } from './event-queries.ts';
import { LiveEventFeed, type OtherEventSources } from './live-events.ts';
import { adyenResultType } from './schemas.ts';
import {
  type Deliverable,
  eventRow,
  type NewAdyenResult,
  type NewEvent,
  type StoredEvent,
} from './stored-event.ts';

/**
 * Called with new events, in their order, when they are on disk. Each event comes once per process. The function must
 * not throw.
 */
type EventListener = (events: readonly StoredEvent[]) => void;

/** The part of the webhook service that makes the deliveries of an event. */
interface Deliverer {
  /** Makes the deliveries of an event before it is stored. */
  deliveriesOf(event: Deliverable): WebhookDeliveryRow[];
  /** Gives the changes that store deliveries together with the event. */
  changesToStore(deliveries: readonly WebhookDeliveryRow[]): Change[];
  /** Called when the deliveries are on disk. The function must not throw. */
  onStored(deliveries: readonly WebhookDeliveryRow[]): void;
}

/** A debit or credit that a commit changes. */
interface ChangedRow {
  table: 'debits' | 'credits';
  id: string;
  /**
   * The version of the row on which the decision was based. If another gateway has changed the row since, the commit is
   * refused.
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
 * If there are several gateways, the numbers of events follow the clock: each millisecond has this many numbers. If
 * more events are made, the numbers run ahead of the clock.
 */
const numbersPerMs = 1_024;

/**
 * Stores each event, with its deliveries, in the same batch as the change that it reports. So a change always has its
 * event, and an event its change. No event is lost or delivered twice because of two batches (B136).
 */
export class EventStore {
  #runtime: Runtime;
  #store: Store;
  #seq: number;
  readonly #otherGateways: OtherEventSources | undefined;
  #listeners = new Set<EventListener>();
  #deliverer: Deliverer = { deliveriesOf: () => [], changesToStore: () => [], onStored: () => {} };
  /** Reports the events of all gateways. It is undefined if there are no other gateways or no listener. */
  #live: LiveEventFeed<StoredEvent> | undefined;
  #stopped = false;

  private constructor(runtime: Runtime, store: Store, seq: number, otherGateways?: OtherEventSources) {
    this.#runtime = runtime;
    this.#store = store;
    this.#seq = seq;
    this.#otherGateways = otherGateways;
  }

  /** Opens the event store of a database. `otherGateways` is absent if only this process uses the database. */
  static async open(runtime: Runtime, store: Store, otherGateways?: OtherEventSources): Promise<EventStore> {
    return new EventStore(runtime, store, await store.read(highestSeq), otherGateways);
  }

  /** From now on, `deliverer` makes the deliveries of each new event. */
  deliverBy(deliverer: Deliverer): void {
    this.#deliverer = deliverer;
  }

  /**
   * Commits changes together with the event that reports them. After the commit it calls `applied`, writes `notes` and
   * the event to the journal, and notifies the listeners. If there are several commits, all this happens in the order
   * of their changes.
   */
  commit(changes: readonly Change[], report: CommitReport, applied?: () => void): Promise<CommitResult> {
    return this.#commit(changes, report, applied);
  }

  /** Commits a result with its deliveries, together with other changes. */
  commitResult(changes: readonly Change[], result: NewAdyenResult): Promise<CommitResult> {
    return this.#commit(changes, { event: result });
  }

  async #commit(
    changes: readonly Change[],
    { event, changedRow, notes = [] }: Omit<CommitReport, 'event'> & { event?: NewEvent | NewAdyenResult },
    applied?: () => void,
  ): Promise<CommitResult> {
    const seq = this.#nextNumber(changedRow?.version);
    const stored = event && this.#toStore(event, seq);
    const deliveries = stored ? this.#deliverer.deliveriesOf(stored) : [];
    const result = await this.#store.commit([
      ...changes,
      ...(changedRow && this.#otherGateways ? [versionStep(changedRow, seq)] : []),
      ...(stored ? [{ insert: 'events', row: eventRow(stored) } as const] : []),
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
   * From now on, calls `listener` with every event after its commit, whichever gateway made the event. Returns a
   * function that stops this.
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

  /** Reports the events of other gateways now, without waiting for the next reading. Resolves when that is done. */
  async reportOtherGateways(): Promise<void> {
    await this.#live?.readNow();
  }

  /** Gives the events, the latest first. */
  list(filter: EventFilter & Pagination): Promise<StoredEvent[]> {
    return this.#store.read((tx) => latestEvents(tx, filter));
  }

  byId(tx: Tx, id: string): Promise<Deliverable | undefined> {
    return deliverableById(tx, id);
  }

  /**
   * Gives a number for an event. A later change gets a higher number. A lone gateway gives the next number. One of
   * several gateways makes the number from the time, so that two gateways rarely give the same one. The number is
   * higher than `version`, the number of the latest change to the same debit or credit.
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
      read: (sinceMs) => this.#store.read((tx) => eventsSince(tx, sinceMs * numbersPerMs)),
      notify: (events) => this.#notify(events),
    });
  }
}

/**
 * Gives a change to add to a batch. Because of this change, the database refuses the batch if another gateway has
 * changed the row since it was read.
 */
function versionStep({ table, id, version }: ChangedRow, seq: number): Change {
  return { update: table, where: { id, version }, set: { version: seq } };
}
