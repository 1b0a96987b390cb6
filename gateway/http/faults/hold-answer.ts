import { defineRequestFault } from './request-fault.ts';

/**
 * The time limit for holding an answer, in real ms. A client with the usual timeout of 200 s hangs up before this
 * limit. So a client that still waits at this limit has no useful timeout.
 */
const limitMs = 205_000;

export const holdAnswerFault = defineRequestFault(
  'holdAnswer',
  "The request is executed and not answered. The gateway's time stands still until the client hangs up, but at most for 205 real seconds",
  {},
  (exchange) => async (sent) => {
    exchange.injected(sent);
    if (!(await exchange.hold(limitMs))) exchange.giveUp(sent);
  },
);
