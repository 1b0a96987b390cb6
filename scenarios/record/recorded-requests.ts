import type { JournalEntry } from '../../shared/journal.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';

/**
 * Returns the idempotency key of the payment that a request begins. For a request in Adyen's API, returns the
 * identifiers that serve as the key.
 */
export function findRecordedIdempotencyKey({ isOfDialect, named, key }: PosRequest): string | undefined {
  if (!isOfDialect) return key;
  return typeof named.idempotencyKey === 'string' ? named.idempotencyKey : undefined;
}

/** Returns the identifier of the terminal to which a request is sent. */
export function targetTerminalOf({ isOfDialect, terminal, path }: PosRequest): string | undefined {
  if (isOfDialect) return terminal;
  return /^\/terminals\/([^/]+)\//.exec(path)?.[1];
}

/** Returns the terminals at which something happened, apart from connecting and disconnecting. */
export function findUsedTerminals(
  entries: readonly JournalEntry[],
  requests: ReadonlyMap<string, PosRequest>,
  poiIdOf: ReadonlyMap<string, string>,
): string[] {
  const acted = entries.flatMap((entry) =>
    /^(payment\.|terminal\.(key|card|power|network)$)/.test(entry.kind) ? (entry.terminal ?? []) : [],
  );
  const asked = [...requests.values()].flatMap(
    (request) => poiIdOf.get(targetTerminalOf(request) ?? '') ?? [],
  );
  return [...new Set([...acted, ...asked])];
}

export function findMissingBodyRemark({ kind, payment }: PosRequest): string | undefined {
  return kind === 'credit' && payment === undefined
    ? 'the journal does not keep the bodies of requests to a payment link, so write the body here'
    : undefined;
}
