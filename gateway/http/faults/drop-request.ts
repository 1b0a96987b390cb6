import { faultKind } from './kind.ts';

export const dropRequest = faultKind(
  'dropRequest',
  'The connection breaks, and the request is not executed',
  {},
  (exchange) => {
    exchange.injected();
    exchange.drop();
    return 'over';
  },
);
