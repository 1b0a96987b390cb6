import { defineRequestFault, faultDurationSchema } from './request-fault.ts';

export const delayAnswerFault = defineRequestFault(
  'delayAnswer',
  'The request is executed, and answered later',
  { delayMs: faultDurationSchema },
  (exchange, { delayMs }) =>
    async (sent) => {
      exchange.injected(sent);
      await exchange.wait(delayMs);
      exchange.send(sent);
    },
);
