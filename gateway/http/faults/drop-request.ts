import { requestFault } from './request-fault.ts';

export const dropRequest = requestFault(
  'dropRequest',
  'The connection breaks, and the request is not executed',
  {},
  (exchange) => {
    exchange.injected();
    exchange.drop();
    return 'over';
  },
);
