import { milliseconds, requestFault } from './request-fault.ts';

export const delayRequest = requestFault(
  'delayRequest',
  'The connection breaks at once, and the request is executed later, as a request of its own',
  { delayMs: milliseconds },
  (exchange, { delayMs }) => {
    exchange.injected();
    exchange.againAfter(delayMs);
    exchange.drop();
    return 'over';
  },
);
