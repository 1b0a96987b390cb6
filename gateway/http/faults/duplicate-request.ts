import { z } from 'zod';
import { defineRequestFault } from './request-fault.ts';

export const duplicateRequestFault = defineRequestFault(
  'duplicateRequest',
  'The request comes twice: a copy with a Request-Id of its own is checked and executed too',
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
