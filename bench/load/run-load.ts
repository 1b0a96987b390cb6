import { percentile } from '../statistics.ts';
import { HttpConnection } from './http-connection.ts';
import type { LoadTarget } from './operation.ts';
import { type OperationName, operations } from './operations.ts';

export interface LoadOptions {
  operation: OperationName;
  target: LoadTarget;
  /** How many requests are in flight, each on a connection of its own. */
  concurrency: number;
  durationMs: number;
}

export interface LoadResult {
  count: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

let done = 0;

/**
 * Keeps `concurrency` operations in flight for `durationMs`. Resolves to the number and the rate of the operations
 * that succeeded, and to the p50 and p99 of the time that they took.
 */
export async function runLoad(load: LoadOptions): Promise<LoadResult> {
  const { url, urls = [url] } = load.target;
  const operate = operations[load.operation];
  const latencies: number[] = [];
  const connections = await Promise.all(
    Array.from({ length: load.concurrency }, (_, nth) =>
      HttpConnection.open(new URL(urls[nth % urls.length] as string)),
    ),
  );
  const startedAt = performance.now();
  const endsAt = startedAt + load.durationMs;
  await Promise.all(
    connections.map(async (connection) => {
      for (let before = startedAt; before < endsAt; ) {
        await operate(connection, load.target, done++);
        const after = performance.now();
        latencies.push(after - before);
        before = after;
      }
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
