import { isoTime } from '../../shared/clock.ts';
import type { Environment } from '../store/ownership.ts';
import type { EventRow } from '../store/rows/events.ts';
import type {
  adyenResultType,
  DeliveredEventType,
  EventData,
  EventType,
  StoredEventView,
} from './schemas.ts';

/** A new event. It names the account to which it belongs. */
export type NewEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    accountId: string;
    environment: Environment;
    type: Each;
    /**
     * The debit, refund or credit that the event is about. Events about the same resource are delivered in their
     * order.
     */
    resourceId: string;
    data: EventData<Each>;
  };
}[Type];

/** The result of a message whose answer was sent before the result was known. */
export interface NewAdyenResult {
  accountId: string;
  environment: Environment;
  type: typeof adyenResultType;
  /** The identifier of the payment, or of the message if there is no payment. */
  resourceId: string;
  /** The body of the request to the webhook. */
  data: object;
}

interface Stored<Type extends DeliveredEventType, Data> {
  /** A UUID. Every delivery of the event has the same UUID. */
  readonly id: string;
  /** A number. Each later change to a debit or credit has a higher number. Some numbers are not used. */
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
/** An event or a result on disk, in the form in which it is delivered to webhooks. */
export type Deliverable = StoredEvent | Stored<typeof adyenResultType, object>;

/** The row in which an event or a result is stored. */
export function makeEventRow(event: Deliverable): EventRow {
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

/**
 * Makes an event from its row. The table also has rows of results of Adyen's API. Do not pass such a row to this
 * function.
 */
export function eventFromRow(row: EventRow): StoredEvent {
  return deliverableFromRow(row) as StoredEvent;
}

export function deliverableFromRow(row: EventRow): Deliverable {
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

/** Makes the form in which the control API shows an event. */
export function makeEventView(event: StoredEvent): StoredEventView {
  const { seq: _, createdAt, ...same } = event;
  return { ...same, createdAt: isoTime(createdAt) };
}
