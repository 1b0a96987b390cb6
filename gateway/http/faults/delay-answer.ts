import { faultKind, milliseconds } from './kind.ts';

export const delayAnswer = faultKind(
  'delayAnswer',
  'The request is executed, and answered later',
  { delayMs: milliseconds },
  (exchange, { delayMs }) =>
    async (sent) => {
      exchange.injected(sent);
      await exchange.wait(delayMs);
      exchange.send(sent);
    },
);
