import { z } from 'zod';
import { jsonText } from '../json-text.ts';
import { faultKind } from './kind.ts';

export const failAnswer = faultKind(
  'failAnswer',
  'The request is executed, and answered with a 5xx',
  { status: z.literal([500, 502, 503, 504]).default(503) },
  (exchange, { status }) =>
    (sent) => {
      exchange.injected(sent);
      const body = { error: 'internalError', message: 'A test replaced the real answer with this one' };
      exchange.send({ answer: { status, body }, text: jsonText(body) });
    },
);
