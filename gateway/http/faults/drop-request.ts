import { defineRequestFault } from './request-fault.ts';

export const dropRequestFault = defineRequestFault(
  'dropRequest',
  'The connection breaks, and the request is not executed',
  {},
  (exchange) => {
    exchange.injected();
    exchange.drop();
    return 'over';
  },
);
