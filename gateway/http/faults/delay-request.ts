import { defineRequestFault, faultDuration } from './request-fault.ts';

export const delayRequestFault = defineRequestFault(
  'delayRequest',
  'The connection breaks at once, and the request is executed later, as a separate request',
  { delayMs: faultDuration },
  (exchange, { delayMs }) => {
    exchange.injected();
    exchange.againAfter(delayMs);
    exchange.drop();
    return 'over';
  },
);
