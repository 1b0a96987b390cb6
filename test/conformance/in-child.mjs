// Loaded into every Node process that a test starts (NODE_OPTIONS): where that turns out to be a gateway, what it is
// asked and answers goes to a file, which the test's own process checks. Plain JavaScript, since a test may start any
// Node.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
let capturing;
subscribe('pinpad:http-server', (message) => {
  capturing ??= load('./capture.ts').captureExchanges((exchange) =>
    appendFileSync(process.env.PINPAD_CONFORMANCE_REPORT, `${JSON.stringify(exchange)}\n`),
  );
  capturing.announce(message);
});
