import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';

/** A request of the command, and what it was told. */
export interface ToldRequest {
  /** `payment-request`, or method and path of a request that has no point. */
  readonly point: string;
  readonly nth: number;
  readonly method: string;
  /** Without what differs between runs. */
  readonly path: string;
  /** `new`, or the number of the request that had it first. */
  readonly key: 'none' | 'new' | number;
  /** The status, or what became of it without one: `lost`, `hung up`, `cut off`, `none`. */
  readonly told: string;
  /** Requests of one number came over one connection, the first over 1. */
  readonly connection: number;
  /** Another request of the command was open when it came. */
  readonly beside: boolean;
  /** Its HTTP client followed a redirect to it, as far as one can see: it has what the request before had, and asks at its Location. */
  readonly followed?: boolean;
}

/** How the command ended. */
export interface CommandExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** It was ended, because it took too long. */
  readonly timedOut: boolean;
}

/** Something that the lint rules found, by rule. */
interface FoundByLint {
  readonly rule: string;
  readonly what: string;
  readonly severity: 'error' | 'warning';
  /** What to do, in a sentence. */
  readonly fix: string;
}

/** What is known of a run when everything in it is over. */
export interface RunRecord {
  /** In the order in which they arrived. */
  readonly requests: readonly ToldRequest[];
  /** How often each moment was passed: requests by their point, the terminal's, the gateway's, `host`, `event`. */
  readonly passed: ReadonlyMap<string, number>;
  readonly sales: readonly Sale[];
  /** All that happened, and the terminal that it happened at. */
  readonly entries: readonly JournalEntry[];
  readonly terminal: { readonly poiId: string; readonly identifier: string };
  readonly found: readonly FoundByLint[];
  readonly ended: CommandExit;
  /** Nothing was open any more within ten virtual minutes. */
  readonly settled: boolean;
  /** Of what the deliveries tell that were not judged, because their receiver had ended with the command: a debit, refund or credit each. */
  readonly unjudgedDeliveries: readonly string[];
  /** After how many real milliseconds the point of sale hung up on an answer that never came, if one was held. */
  readonly hungUpAfterMs: number | undefined;
  /** The last 40 lines that the command printed. */
  readonly output: readonly string[];
  readonly tookMs: number;
  /** Why the payment came to what it came to, in a sentence. */
  readonly why: string | undefined;
  /** Writes the trace into a file and gives its path. */
  trace(title: string): Promise<string>;
}
