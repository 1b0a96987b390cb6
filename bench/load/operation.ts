import type { HttpConnection, LoadAnswer } from './http-connection.ts';

/** Where load goes: a gateway or the relay, which look the same to it. */
export interface LoadTarget {
  url: string;
  /** Where connections go in turn, where there are several gateways. */
  urls?: string[];
  token: string;
  /** terminalIds of the idle ones, idle longest first; some times more of them than requests in flight. */
  terminals: string[];
  /** What was charged and may be refunded; some times more than are refunded at a time. */
  debits?: string[];
}

/**
 * One thing that is done many times at once. Throws when the answer is not what success looks like, because a
 * benchmark of refusals measures nothing.
 */
export type Operation = (connection: HttpConnection, target: LoadTarget, nth: number) => Promise<LoadAnswer>;
