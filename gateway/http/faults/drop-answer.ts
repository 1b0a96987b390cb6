import { defineRequestFault } from './request-fault.ts';

export const dropAnswerFault = defineRequestFault(
  'dropAnswer',
  'The request is executed, and the connection breaks before the answer is sent',
  {},
  (exchange) => (sent) => {
    exchange.injected(sent);
    exchange.drop();
  },
);
