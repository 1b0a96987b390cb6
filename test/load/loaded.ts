/** What load is put on and held against the rules: one gateway, or several behind a balancer. */
export interface Loaded {
  readonly url: string;
  /** A gateway is up. */
  readonly reachable: boolean;
  readonly token: string;
  readonly controlToken: string;
  readonly terminals: readonly { readonly poiId: string; readonly identifier: string }[];
  /** An answer that takes longer is none. */
  readonly answerLimitMs: number;
  /** Everything the processes wrote to standard error, a file each: the journals of those that were killed too. */
  readonly logs: string;
  /** True when a request sent at `atMs` may have been cut by a kill of the gateway. */
  gatewayWasDownSince(atMs: number): boolean;
  /** True when a request sent at `atMs` may be refused with 503, because it could not be stored (B68). */
  mayRefuseSince(atMs: number): boolean;
  /** Every table by its name, with all rows; the processes must have stopped. */
  tables(): Promise<Record<string, Record<string, unknown>[]>>;
}
