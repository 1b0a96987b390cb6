import { milliseconds, requestFault } from './request-fault.ts';

/** Cuts an answer off in the middle, as proxies do, many of them after 60 s. */
export const cutAnswer = requestFault(
  'cutAnswer',
  'If the request is not answered within this time, the connection breaks; a payment that it began goes on',
  { afterMs: milliseconds },
  (exchange, { afterMs }) => {
    exchange.unlessAnsweredAfter(afterMs, () => {
      exchange.injected();
      exchange.cut();
    });
    return undefined;
  },
);
