import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';

/** A request of the command, and the answer that it got. */
export interface CommandRequest {
  /**
   * The name that schedules use for the request, such as `payment-request`. If there is no such name, the method and
   * path.
   */
  readonly point: string;
  readonly nth: number;
  readonly method: string;
  /** The path without the parts that differ between runs. */
  readonly path: string;
  /**
   * Says whether the request has an Idempotency-Key. The value is `none`, or `new` for a key that no earlier request
   * had, or else the number of the first request with the same key.
   */
  readonly key: 'none' | 'new' | number;
  /**
   * The status of the answer. If there was no answer, the value says what happened instead: `lost`, `hung up`,
   * `cut off` or `none`.
   */
  readonly told: string;
  /** The number of the connection over which the request came. The first request's connection is 1. */
  readonly connection: number;
  /** Whether another request of the command was open when this request came. */
  readonly beside: boolean;
  /**
   * Whether the command's HTTP client seems to have followed a redirect by itself. The sign is that this request goes
   * to the Location of the previous answer, and has the key of the previous request.
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

/** The record of a run, made when the run is over. A record that came from another thread is plain data. */
export interface RunRecord {
  /** The requests in the order in which they arrived. */
  readonly requests: readonly CommandRequest[];
  /**
   * The number of times that the run passed each moment. Moments are those of requests, of the terminal and of the
   * gateway, and also `host`, `event`, `screens` and `start`.
   */
  readonly passed: ReadonlyMap<string, number>;
  readonly sales: readonly Sale[];
  /** The journal of the run. */
  readonly entries: readonly JournalEntry[];
  readonly terminal: { readonly poiId: string; readonly identifier: string };
  readonly found: readonly FoundByLint[];
  readonly ended: CommandExit;
  /** Whether everything that the run had begun was over within ten virtual minutes after the command had ended. */
  readonly settled: boolean;
  /**
   * The debits, refunds and credits whose webhook deliveries were not judged, because the command's webhook receiver
   * ended together with the command.
   */
  readonly unjudgedDeliveries: readonly string[];
  /**
   * How many real milliseconds the point of sale waited for an answer that a fault held back. Undefined if there was no
   * such fault, or if the point of sale did not hang up.
   */
  readonly hungUpAfterMs: number | undefined;
  /** The last 40 lines that the command printed. */
  readonly output: readonly string[];
  readonly tookMs: number;
  /** A sentence that explains the payment's outcome. */
  readonly why: string | undefined;
}
