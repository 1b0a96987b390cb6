import { defineRequestFault, faultDuration } from './request-fault.ts';

export const delayAnswerFault = defineRequestFault(
  'delayAnswer',
  'The request is executed, and answered later',
  { delayMs: faultDuration },
  (exchange, { delayMs }) =>
    async (sent) => {
      exchange.injected(sent);
      await exchange.wait(delayMs);
      exchange.send(sent);
    },
);
