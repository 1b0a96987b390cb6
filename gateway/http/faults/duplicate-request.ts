import { z } from 'zod';
import { defineRequestFault } from './request-fault.ts';

export const duplicateRequestFault = defineRequestFault(
  'duplicateRequest',
  'The request comes twice: the gateway also checks and executes a copy, which has its own Request-Id',
  {
    answered: z
      .enum(['first', 'copy'])
      .default('first')
      .meta({ description: 'The request whose answer is sent: the first request (the default) or its copy' }),
  },
  (exchange, { answered }) => {
    exchange.injected();
    const copied = exchange.again();
    if (answered === 'first') return undefined;
    return async (first) => exchange.send((await copied()) ?? first);
  },
);
