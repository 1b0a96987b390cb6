import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';

/** A request of the command, and the answer that it got. */
export interface CommandRequest {
  /** The name under which schedules know the request, such as `payment-request`; without one, its method and path. */
  readonly point: string;
  readonly nth: number;
  readonly method: string;
  /** The path without the parts that differ between runs. */
  readonly path: string;
  /** The Idempotency-Key: `none`, `new`, or the number of the first request with the same key. */
  readonly key: 'none' | 'new' | number;
  /**
   * The status of the answer. Without an answer, this says what happened instead: `lost`, `hung up`, `cut off` or
   * `none`.
   */
  readonly told: string;
  /** The number of the connection over which the request came. The first request's connection is 1. */
  readonly connection: number;
  /** Whether another request of the command was open when this one came. */
  readonly beside: boolean;
  /**
   * Whether the command's HTTP client seems to have followed a redirect: this request goes to the Location of the
   * previous answer, with the previous key.
   */
  readonly followed?: boolean;
}

/** How the command ended. */
export interface CommandExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Whether explore ended the command because it took too long. */
  readonly timedOut: boolean;
}

/** A finding of a lint rule. */
interface FoundByLint {
  readonly rule: string;
  readonly what: string;
  readonly severity: 'error' | 'warning';
  /** How to correct the mistake, in a sentence. */
  readonly fix: string;
}

/** The record of a run, made when the run is over. It is plain data, except for journal entries that were not sent. */
export interface RunRecord {
  /** The requests in the order in which they arrived. */
  readonly requests: readonly CommandRequest[];
  /**
   * How often the run passed each moment: those of requests, of the terminal and of the gateway, `host`, and `event`.
   */
  readonly passed: ReadonlyMap<string, number>;
  readonly sales: readonly Sale[];
  /** The journal of the run. */
  readonly entries: readonly JournalEntry[];
  readonly terminal: { readonly poiId: string; readonly identifier: string };
  readonly found: readonly FoundByLint[];
  readonly ended: CommandExit;
  /** Whether nothing was open any more within ten virtual minutes after the command had ended. */
  readonly settled: boolean;
  /**
   * The debits, refunds and credits whose webhook deliveries were not judged, because the receiver had ended with the
   * command.
   */
  readonly unjudgedDeliveries: readonly string[];
  /**
   * The real milliseconds after which the point of sale hung up on an answer that a fault held back; undefined if it
   * did not.
   */
  readonly hungUpAfterMs: number | undefined;
  /** The last 40 lines that the command printed. */
  readonly output: readonly string[];
  readonly tookMs: number;
  /** A sentence that explains the payment's outcome. */
  readonly why: string | undefined;
}
