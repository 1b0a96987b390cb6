import { z } from 'zod';
import { defineRequestFault } from './request-fault.ts';

export const truncateAnswerFault = defineRequestFault(
  'truncateAnswer',
  'The request is executed, and the connection breaks after this many bytes of the body of the answer; a shorter answer arrives whole',
  { bytes: z.int().min(0).max(100_000) },
  (exchange, { bytes }) =>
    async (sent) => {
      exchange.injected(sent);
      const body = exchange.begin(sent);
      await exchange.push(body.subarray(0, bytes));
      if (bytes < body.length) exchange.drop();
      else exchange.finish();
    },
);
