import { faultKind } from './kind.ts';

/** A point of sale that waits this long in real time has no timeout worth the name; one of 200 s, which is usual, hangs up before. */
const limitMs = 205_000;

export const holdAnswer = faultKind(
  'holdAnswer',
  "The request is executed and not answered, and the gateway's time stands until the client hangs up, for 205 real seconds at most",
  {},
  (exchange) => async (sent) => {
    exchange.injected(sent);
    if (!(await exchange.hold(limitMs))) exchange.giveUp(sent);
  },
);
