import { faultKind, milliseconds } from './kind.ts';

export const delayRequest = faultKind(
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
