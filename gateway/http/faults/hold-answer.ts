import { requestFault } from './request-fault.ts';

/**
 * The longest hold in real time. A client that still waits after it has no useful timeout; with a usual one of 200 s it
 * hangs up earlier.
 */
const limitMs = 205_000;

export const holdAnswer = requestFault(
  'holdAnswer',
  "The request is executed and not answered. The gateway's time stands still until the client hangs up, but at most for 205 real seconds",
  {},
  (exchange) => async (sent) => {
    exchange.injected(sent);
    if (!(await exchange.hold(limitMs))) exchange.giveUp(sent);
  },
);
