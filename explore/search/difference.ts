import type { CommandRequest, RunRecord } from '../run/run-record.ts';
import { comparableRequestText } from '../verdict/request-words.ts';

/** The first difference between the two plain runs. Their requests should be equal. */
export interface PlainRunDifference {
  /** The place of the difference: `request 2`, or `request 1 of a connection`. */
  readonly at: string;
  readonly first: string;
  readonly second: string;
}

/**
 * Compares two runs by their requests. If the point of sale sends requests at the same time, compares only the order of
 * the requests within each connection, because the order of requests on different connections is random.
 */
export function findFirstDifference(one: RunRecord, other: RunRecord): PlainRunDifference | undefined {
  const [lines, others] = [
    one.requests.map(comparableRequestText),
    other.requests.map(comparableRequestText),
  ];
  if (lines.join('\n') === others.join('\n')) return undefined;
  if (!isSideBySide(one) && !isSideBySide(other)) {
    const at = commonLines(lines, others);
    return { at: `request ${at + 1}`, first: lineOrEnd(lines[at]), second: lineOrEnd(others[at]) };
  }
  return differenceOfConnections(connectionsOf(one), connectionsOf(other));
}

/**
 * Pairs connections of the two runs that have the same requests. Then compares two connections that have no partner:
 * the first one of the first run, and the most similar one of the second run.
 */
function differenceOfConnections(
  ones: readonly (readonly string[])[],
  others: readonly (readonly string[])[],
): PlainRunDifference | undefined {
  const leftOfOthers = [...others];
  const leftOfOnes = ones.filter((connection) => {
    const twin = leftOfOthers.findIndex((each) => each.join('\n') === connection.join('\n'));
    if (twin >= 0) leftOfOthers.splice(twin, 1);
    return twin < 0;
  });
  if (leftOfOnes.length === 0 && leftOfOthers.length === 0) return undefined;
  const [lines = []] = leftOfOnes;
  const [nearest = []] = leftOfOthers.toSorted((a, b) => commonLines(lines, b) - commonLines(lines, a));
  const at = commonLines(lines, nearest);
  return {
    at: `request ${at + 1} of a connection`,
    first: lineOrEnd(lines[at]),
    second: lineOrEnd(nearest[at]),
  };
}

/**
 * Whether the point of sale sends requests at the same time. The sign is that two requests were open at once, or that
 * an older connection was used after a newer connection.
 */
function isSideBySide({ requests }: RunRecord): boolean {
  const isReturn = ({ connection }: CommandRequest, index: number) =>
    requests.slice(0, index).some((earlier) => earlier.connection > connection);
  return requests.some((request, index) => request.beside || isReturn(request, index));
}

/**
 * Returns the requests of each connection as text, for comparing runs. No number in the text depends on requests of
 * other connections.
 */
function connectionsOf({ requests }: RunRecord): string[][] {
  const byConnection = new Map<number, CommandRequest[]>();
  for (const request of requests)
    byConnection.set(request.connection, [...(byConnection.get(request.connection) ?? []), request]);
  return [...byConnection.values()].map((own) => own.map((request) => ownLineOf(request, own, requests)));
}

function ownLineOf(
  request: CommandRequest,
  own: readonly CommandRequest[],
  all: readonly CommandRequest[],
): string {
  const first = typeof request.key === 'number' ? all[request.key - 1] : undefined;
  if (!first) return comparableRequestText(request);
  const place = own.indexOf(first);
  if (place >= 0) return comparableRequestText({ ...request, key: place + 1 });
  return `${comparableRequestText({ ...request, key: 'none' })}, with the key of another connection's ${first.method} ${first.path}`;
}

/** Returns how many lines at the beginning are the same. */
function commonLines(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index]);
  return at < 0 ? one.length : at;
}

function lineOrEnd(line: string | undefined): string {
  return line ?? 'no further request';
}
