// This module is loaded into every Node process that a test starts (NODE_OPTIONS). If the process is a gateway, the
// module writes the requests that the gateway gets, and its answers, to a file. The test's own process checks that
// file. This module is plain JavaScript, because a test may start any Node.
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
