import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { noFaults, reportOfChildren } from './exchanges.ts';

/*
 * Vitest loads this before every test file. A test fails when a gateway, in this process or in one it started, answered
 * what the OpenAPI document does not describe, or took a request that is not as it says. Requests that are meant to be
 * wrong are reported by their answers.
 */

const folder = mkdtempSync(join(tmpdir(), 'pinpad-conformance-'));
const report = reportOfChildren(folder);
afterEach(() => noFaults(report));
afterAll(async () => {
  await noFaults(report);
  rmSync(folder, { recursive: true, force: true });
});
