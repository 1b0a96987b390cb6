import type { HttpConnection, LoadAnswer } from './http-connection.ts';

/**
 * The program that receives load: a gateway, or the relay with which the benchmarks compare it. Both programs get the
 * same requests.
 */
export interface LoadTarget {
  url: string;
  /** The addresses of the gateways, if there are several. Each connection goes to the next address. */
  urls?: string[];
  token: string;
  /**
   * The terminalIds of idle terminals, the longest idle first. There are several terminals for each request in flight.
   */
  terminals: string[];
  /** Debits that may be refunded. There are several of them for each refund in flight. */
  debits?: string[];
}

/**
 * An operation of which a benchmark keeps several in flight. Throws if the answer is not a success, because a benchmark
 * of refusals measures nothing.
 */
export type Operation = (connection: HttpConnection, target: LoadTarget, nth: number) => Promise<LoadAnswer>;
