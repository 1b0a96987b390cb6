import { z } from 'zod';
import { defineRequestFault } from './request-fault.ts';

export const failAnswerFault = defineRequestFault(
  'failAnswer',
  'The request is executed, and answered with a 5xx',
  { status: z.literal([500, 502, 503, 504]).default(503) },
  (exchange, { status }) =>
    (sent) => {
      exchange.injected(sent);
      exchange.refuse({
        status,
        code: 'internalError',
        message: 'A test replaced the real answer with this answer',
      });
    },
);
