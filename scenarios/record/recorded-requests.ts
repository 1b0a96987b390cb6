import type { JournalEntry } from '../../shared/journal.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';

/** The key of what a request begins; in another API, what stands in its place. */
export function recordedKeyOf({ isOfDialect, named, key }: PosRequest): string | undefined {
  if (!isOfDialect) return key;
  return typeof named.idempotencyKey === 'string' ? named.idempotencyKey : undefined;
}

/** The identifier of the terminal that a request is sent to. */
export function terminalAsked({ isOfDialect, terminal, path }: PosRequest): string | undefined {
  if (isOfDialect) return terminal;
  return /^\/terminals\/([^/]+)\//.exec(path)?.[1];
}

/** The terminals that something happened at, beside coming and going of their links. */
export function usedTerminals(
  entries: readonly JournalEntry[],
  requests: ReadonlyMap<string, PosRequest>,
  poiIdOf: ReadonlyMap<string, string>,
): string[] {
  const acted = entries.flatMap((entry) =>
    /^(payment\.|terminal\.(key|card|power|network)$)/.test(entry.kind) ? (entry.terminal ?? []) : [],
  );
  const asked = [...requests.values()].flatMap((request) => poiIdOf.get(terminalAsked(request) ?? '') ?? []);
  return [...new Set([...acted, ...asked])];
}

export function remarkOf({ kind, payment }: PosRequest): string | undefined {
  return kind === 'credit' && payment === undefined
    ? 'the journal does not store requests at a link: write the body here'
    : undefined;
}
