import { z } from 'zod';
import { defineRequestFault } from './request-fault.ts';

const piecesPerSecond = 10;

export const slowAnswerFault = defineRequestFault(
  'slowAnswer',
  'The request is executed, and the body of the answer comes slowly',
  {
    bytesPerSecond: z
      .int()
      .min(1)
      .max(1_000_000)
      .meta({ description: "The number of bytes that arrive in each second of the gateway's clock" }),
  },
  (exchange, { bytesPerSecond }) =>
    async (sent) => {
      exchange.injected(sent);
      const body = exchange.begin(sent);
      const size = Math.ceil(bytesPerSecond / piecesPerSecond);
      for (let from = 0; from < body.length; from += size) {
        const piece = body.subarray(from, from + size);
        await exchange.wait((piece.length / bytesPerSecond) * 1_000);
        await exchange.push(piece);
      }
      exchange.finish();
    },
);
