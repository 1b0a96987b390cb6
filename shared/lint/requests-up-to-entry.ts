import type { PosRequest } from '../requests/pos-request.ts';

/** Returns the requests that came no later than an entry, roughly in the order in which they came. */
export function findUpToEntry(requests: Iterable<PosRequest>, upTo: number): PosRequest[] {
  const found: PosRequest[] = [];
  for (const request of requests) {
    if (request.received.seq > upTo) break;
    found.push(request);
  }
  return found;
}
