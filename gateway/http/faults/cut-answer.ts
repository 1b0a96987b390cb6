import { defineRequestFault, faultDurationSchema } from './request-fault.ts';

/** Cuts an answer off in the middle, as proxies do. Many proxies cut an answer off after 60 s. */
export const cutAnswerFault = defineRequestFault(
  'cutAnswer',
  'The connection breaks if the request is not answered within this time. The gateway still carries the request out',
  { afterMs: faultDurationSchema },
  (exchange, { afterMs }) => {
    exchange.unlessAnsweredAfter(afterMs, () => {
      exchange.injected();
      exchange.cut();
    });
    return undefined;
  },
);
