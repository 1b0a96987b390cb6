import { type Pagination, readRowById, whereEqualIfGiven } from '../store/read-rows.ts';
import type { Tx } from '../store/schema.ts';
import { adyenResultType, type EventType } from './schemas.ts';
import { type Deliverable, deliverableFromRow, eventFromRow, type StoredEvent } from './stored-event.ts';

/** The filter of a list of events. If the filter is empty, the list shows all events. */
export interface EventFilter {
  accountId?: string;
  type?: EventType;
  resourceId?: string;
}

/** Reads a page of events, the latest first. `before` is the id of the last event on the previous page. */
export async function readLatestEvents(
  tx: Tx,
  { before, limit, accountId, type, resourceId }: EventFilter & Pagination,
): Promise<StoredEvent[]> {
  let query = selectEvents(tx).orderBy('seq', 'desc').orderBy('id', 'desc').limit(limit);
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
  const filtered = whereEqualIfGiven(query, { account_id: accountId, type, resource_id: resourceId });
  return (await filtered.execute()).map(eventFromRow);
}

/** Reads the events that have this number or a higher number, in the order of their numbers. */
export async function readEventsSince(tx: Tx, seq: number): Promise<StoredEvent[]> {
  const rows = await selectEvents(tx).where('seq', '>=', seq).orderBy('seq').orderBy('id').execute();
  return rows.map(eventFromRow);
}

/** Reads the event or the result that has this id. */
export async function readDeliverableById(tx: Tx, id: string): Promise<Deliverable | undefined> {
  const row = await readRowById(tx, 'events', id);
  return row && deliverableFromRow(row);
}

/** Reads events that have no deliveries, the oldest first. An earlier release stored such events. */
export async function readUndispatchedEvents(tx: Tx, limit: number): Promise<Deliverable[]> {
  const rows = await tx
    .selectFrom('events')
    .selectAll()
    .where('dispatched_at', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(deliverableFromRow);
}

/** Reads the highest number of an event or a result; 0 if there is none. */
export async function readHighestSeq(tx: Tx): Promise<number> {
  const last = await tx
    .selectFrom('events')
    .select((select) => select.fn.max('seq').as('seq'))
    .executeTakeFirst();
  return Number(last?.seq ?? 0);
}

function selectEvents(tx: Tx) {
  return tx.selectFrom('events').selectAll().where('type', '!=', adyenResultType);
}
