import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { reportChildExchanges, throwIfNonconforming } from './exchanges.ts';

/*
 * Vitest loads this before every test file. It watches the gateways in the test's process and in the processes that
 * the test starts. A test fails if a gateway gave an answer that the OpenAPI document does not describe, or accepted
 * a request that does not conform to the document. A request that is wrong on purpose is recognised by the status of
 * its answer, so it need not conform.
 */

const folder = mkdtempSync(join(tmpdir(), 'pinpad-conformance-'));
const report = reportChildExchanges(folder);
afterEach(() => throwIfNonconforming(report));
afterAll(async () => {
  await throwIfNonconforming(report);
  rmSync(folder, { recursive: true, force: true });
});
