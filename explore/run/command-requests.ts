import type { JournalEntry } from '../../shared/journal.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { readPosRequests } from '../../shared/requests/read-requests.ts';
import { requestPointName } from '../plan/request-points.ts';
import type { CommandRequest } from './run-record.ts';

/** Returns the command's requests from a journal, in the form that is used to compare runs. */
export function readCommandRequests(entries: readonly JournalEntry[]): CommandRequest[] {
  const keys = new Map<string, number>();
  const counts = new Map<string, number>();
  const cutOff = cutOffIn(entries);
  const connections = new Map<unknown, number>();
  let openUntil = Number.NEGATIVE_INFINITY;
  return readPosRequests(entries).map((request, index, all) => {
    const path = withoutIds(request.path);
    const point =
      requestPointName(request.method, request.path, request.dialectKind) ?? `${request.method} ${path}`;
    const nth = (counts.get(point) ?? 0) + 1;
    counts.set(point, nth);
    const { seq, data } = request.received;
    const beside = seq < openUntil;
    openUntil = Math.max(openUntil, endOf(request));
    const over = data.connection ?? request.requestId;
    const connection = connections.get(over) ?? connections.size + 1;
    connections.set(over, connection);
    return {
      point,
      nth,
      method: request.method,
      path,
      key: keyOf(request, index + 1, keys),
      told: told(request, cutOff),
      connection,
      beside,
      ...(isFollowed(request, all[index - 1]) && { followed: true }),
    };
  });
}

/** Returns the seq of the journal entry at which the request ended. */
function endOf({ answered, hungUp }: PosRequest): number {
  return (answered ?? hungUp)?.seq ?? Number.POSITIVE_INFINITY;
}

function keyOf(
  { kind, key: sent, query, named, isOfDialect }: PosRequest,
  number: number,
  keys: Map<string, number>,
): CommandRequest['key'] {
  const asked = isOfDialect && kind !== 'payment' ? named.idempotencyKey : query.get('idempotencyKey');
  const key = sent ?? (typeof asked === 'string' ? asked : undefined);
  if (key === undefined) return 'none';
  const earlier = keys.get(key);
  if (earlier !== undefined) return earlier;
  keys.set(key, number);
  return 'new';
}

/**
 * Whether the HTTP client followed a redirect by itself. The sign is that the request has the Idempotency-Key of the
 * previous request. A point of sale would not send this key, because a request for the status by `transactionId` needs
 * none.
 */
function isFollowed({ method, path, key, named }: PosRequest, before: PosRequest | undefined): boolean {
  const to = before?.answered?.data.headers?.Location;
  if (method !== 'GET' || to === undefined || key === undefined || key !== before?.key) return false;
  return to === `${path}?transactionId=${named.transactionId}`;
}

/** Returns the status that the point of sale received. If no status was received, returns what happened instead. */
function told({ answered, as, hungUp, requestId }: PosRequest, cutOff: ReadonlySet<string>): string {
  if (cutOff.has(requestId)) return 'cut off';
  if (hungUp) return hungUp.kind === 'fault.injected' ? 'lost' : 'hung up';
  return answered ? (as ?? String(answered.data.status)) : 'none';
}

/**
 * Returns the ids of the requests whose connection broke in the middle of the answer. In this case, the journal does
 * not show which side hung up.
 */
function cutOffIn(entries: readonly JournalEntry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) =>
      entry.kind === 'http.sent' && !entry.data.whole ? [entry.data.requestId] : [],
    ),
  );
}

const id = /[0-9a-f]{8}-[0-9a-f-]{27}/gi;

function withoutIds(path: string): string {
  return path.replaceAll(id, '…');
}
