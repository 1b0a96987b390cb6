// Loaded into every Node process that a test starts (NODE_OPTIONS): where that turns out to be a gateway, what it is
// asked and answers is checked as in the test's own process. Plain JavaScript, since a test may start any Node.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
let capturing;
subscribe('pinpad:http-server', (message) => {
  capturing ??= load('./capture.ts').captureExchanges((exchange, endpoints) => {
    for (const fault of load('./faults-of.ts').faultsOf(exchange, endpoints))
      appendFileSync(process.env.PINPAD_CONFORMANCE_REPORT, `${fault}\n\n`);
  });
  capturing.announce(message);
});
