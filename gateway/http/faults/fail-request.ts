import { z } from 'zod';
import { defineRequestFault } from './request-fault.ts';

/** Answers with an error instead of the request's result, as a proxy or a busy gateway does. */
export const failRequestFault = defineRequestFault(
  'failRequest',
  'The request is answered with a 5xx or 429, and not executed',
  { status: z.literal([429, 500, 502, 503, 504]).default(503) },
  (exchange, { status }) => {
    const code = status === 429 ? 'rateLimited' : 'internalError';
    const headers: Record<string, string> = status === 429 || status === 503 ? { 'Retry-After': '1' } : {};
    exchange.injected();
    exchange.refuse({ status, code, message: 'A test refused the request; nothing was done', headers });
    return 'over';
  },
);
