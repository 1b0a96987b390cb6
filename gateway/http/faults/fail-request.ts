import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { jsonText } from '../json-text.ts';
import { faultKind } from './kind.ts';

/** What a proxy or a gateway that is too busy answers. */
export const failRequest = faultKind(
  'failRequest',
  'The request is not executed, and answered with a 5xx or 429',
  { status: z.literal([429, 500, 502, 503, 504]).default(503) },
  (exchange, { status }) => {
    const message = 'A test refused the request; nothing was done';
    const body = new ApiError(status === 429 ? 'rateLimited' : 'internalError', { message }).envelope;
    const headers = status === 429 || status === 503 ? { 'Retry-After': '1' } : undefined;
    exchange.injected();
    exchange.send({ answer: { status, body, headers }, text: jsonText(body) });
    return 'over';
  },
);
