import { defineRequestFault, faultDurationSchema } from './request-fault.ts';

export const delayRequestFault = defineRequestFault(
  'delayRequest',
  'The connection breaks at once, and the request is executed later, as a separate request',
  { delayMs: faultDurationSchema },
  (exchange, { delayMs }) => {
    exchange.injected();
    exchange.againAfter(delayMs);
    exchange.drop();
    return 'over';
  },
);
