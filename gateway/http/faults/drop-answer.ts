import { faultKind } from './kind.ts';

export const dropAnswer = faultKind(
  'dropAnswer',
  'The request is executed, and the connection breaks before the answer',
  {},
  (exchange) => (sent) => {
    exchange.injected(sent);
    exchange.drop();
  },
);
