import type { HttpConnection, LoadAnswer } from './http-connection.ts';

/** The receiver of load: a gateway or the relay. Load treats both in the same way. */
export interface LoadTarget {
  url: string;
  /** The addresses to which connections go in turn, if there are several gateways. */
  urls?: string[];
  token: string;
  /**
   * The terminalIds of idle terminals, the longest idle first. There are several times more of them than requests in
   * flight.
   */
  terminals: string[];
  /** Debits that may be refunded. There are several times more of them than are refunded at a time. */
  debits?: string[];
}

/**
 * An operation that is carried out many times at once. Throws if the answer is not a success, because a benchmark of
 * refusals measures nothing.
 */
export type Operation = (connection: HttpConnection, target: LoadTarget, nth: number) => Promise<LoadAnswer>;
