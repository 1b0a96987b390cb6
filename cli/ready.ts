import type { Stack } from '../stack/index.ts';

/** The one line a test suite reads from standard output when everything is ready. */
export function readyJson(stack: Stack): string {
  const [token] = stack.tokens;
  return JSON.stringify({
    url: stack.url,
    token: token?.token,
    tokens: stack.tokens,
    controlToken: stack.controlToken,
    terminals: stack.terminals,
    readers: stack.readers,
    clock: stack.runtime.clock.virtual ? 'virtual' : 'real',
    pid: process.pid,
  });
}

/** What somebody without a screen can paste: a payment, and the card that pays it. */
export function pasteableLines(stack: Stack): string {
  const [terminal] = stack.terminals;
  const token = stack.tokens.find(({ account }) => account === terminal?.account) ?? stack.tokens[0];
  const head = [
    `pinpad is ready at ${stack.url}`,
    '',
    `  API token      ${token?.token ?? '(none)'}`,
    `  control token  ${stack.controlToken}`,
    ...stack.terminals.map(
      ({ poiId, identifier, store }) => `  terminal       ${identifier}  ${poiId}, ${store}`,
    ),
    ...stack.readers.map(({ poiId, reader }) => `  card reader    ${reader} at ${poiId}`),
    '',
  ];
  if (!terminal || !token) return head.join('\n');
  return [
    ...head,
    'A payment (it is held open until the card was presented):',
    '',
    `  curl -sS ${stack.url}/terminals/${terminal.identifier}/payment-request \\`,
    `    -H 'Authorization: Bearer ${token.token}' -H 'Content-Type: application/json' \\`,
    `    -H "Idempotency-Key: sale-$(date +%s)" \\`,
    `    -d '{"paymentTransaction":{"amountsReq":{"requestedAmount":12.5}}}'`,
    '',
    'In another window, tap the card:',
    '',
    `  curl -sS ${stack.url}/control/terminals/${terminal.poiId}/tap \\`,
    `    -H 'Authorization: Bearer ${stack.controlToken}' -H 'Content-Type: application/json' \\`,
    `    -d '{"card":"visa-credit"}'`,
    '',
    `The API is described at ${stack.url}/openapi.json. Ctrl-C stops.`,
  ].join('\n');
}

/** Says plainly what is exposed when the gateway can be reached from other machines. */
export function exposureWarning(host: string): string | undefined {
  if (/^(localhost|127\.|::1$)/.test(host)) return undefined;
  return (
    `pinpad: listening on ${host}: everybody who reaches this address can use the payments API with a token, and the ` +
    'control API, which can do anything, with the control token.'
  );
}
