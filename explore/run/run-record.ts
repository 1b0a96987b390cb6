import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';

/** A request of the command, and the answer that it got. */
export interface ToldRequest {
  /** The name of the request's point, such as `payment-request`; its method and path if it has none. */
  readonly point: string;
  readonly nth: number;
  readonly method: string;
  /** The path without the parts that differ between runs. */
  readonly path: string;
  /** `new`, or the number of the request that had it first. */
  readonly key: 'none' | 'new' | number;
  /** The status or, without one, what became of the request: `lost`, `hung up`, `cut off`, `none`. */
  readonly told: string;
  /** The number of the connection over which it came; the first request's is 1. */
  readonly connection: number;
  /** Whether another request of the command was open when it came. */
  readonly beside: boolean;
  /** Whether it seems that its HTTP client followed a redirect: it has the key of the request before, and asks at its Location. */
  readonly followed?: boolean;
}

/** The end of the command. */
export interface CommandExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Whether it was ended because it took too long. */
  readonly timedOut: boolean;
}

/** A finding of a lint rule. */
interface FoundByLint {
  readonly rule: string;
  readonly what: string;
  readonly severity: 'error' | 'warning';
  /** The remedy, in a sentence. */
  readonly fix: string;
}

/** The record of a run, made when everything in it is over. */
export interface RunRecord {
  /** The requests in the order in which they arrived. */
  readonly requests: readonly ToldRequest[];
  /** How often each moment was passed: requests by their point, the terminal's, the gateway's, `host`, `event`. */
  readonly passed: ReadonlyMap<string, number>;
  readonly sales: readonly Sale[];
  /** The journal of the run. */
  readonly entries: readonly JournalEntry[];
  readonly terminal: { readonly poiId: string; readonly identifier: string };
  readonly found: readonly FoundByLint[];
  readonly ended: CommandExit;
  /** Whether everything was over within ten virtual minutes. */
  readonly settled: boolean;
  /** The debits, refunds and credits whose deliveries were not judged, because their receiver had ended with the command. */
  readonly unjudgedDeliveries: readonly string[];
  /** The real milliseconds after which the point of sale hung up on an answer that never came, if one was held. */
  readonly hungUpAfterMs: number | undefined;
  /** The last 40 lines that the command printed. */
  readonly output: readonly string[];
  readonly tookMs: number;
  /** A sentence that explains the payment's outcome. */
  readonly why: string | undefined;
  /** Writes the trace into a file and gives its path. */
  trace(title: string): Promise<string>;
}
