import { milliseconds, requestFault } from './request-fault.ts';

export const delayAnswer = requestFault(
  'delayAnswer',
  'The request is executed, and answered later',
  { delayMs: milliseconds },
  (exchange, { delayMs }) =>
    async (sent) => {
      exchange.injected(sent);
      await exchange.wait(delayMs);
      exchange.send(sent);
    },
);
