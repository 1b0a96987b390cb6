import { subscribe } from 'node:diagnostics_channel';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach } from 'vitest';
import { captureExchanges } from './capture.ts';

/*
 * Vitest loads this before every test file. A test fails when a gateway, in this process or in one it started, answered
 * what the OpenAPI document does not describe, or took a request that is not as it says. Requests that are meant to be
 * wrong are told by their answers.
 */

const faults: string[] = [];
let checking = Promise.resolve();
const { announce } = captureExchanges((exchange, endpoints) => {
  checking = checking.then(async () => {
    const { faultsOf } = await import('./faults-of.ts');
    faults.push(...faultsOf(exchange, endpoints));
  });
});
subscribe('pinpad:http-server', announce);

const folder = mkdtempSync(join(tmpdir(), 'pinpad-conformance-'));
const ofChildren = join(folder, 'faults.txt');
process.env.PINPAD_CONFORMANCE_REPORT = ofChildren;
const inChild = pathToFileURL(join(import.meta.dirname, 'in-child.mjs')).href; // an option may hold no blanks
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${inChild}`.trim();

async function noFaults(): Promise<void> {
  await checking;
  if (existsSync(ofChildren)) faults.push(readFileSync(ofChildren, 'utf8'));
  rmSync(ofChildren, { force: true });
  const found = faults.splice(0);
  if (found.length > 0)
    throw new Error(`not as the OpenAPI document says:\n${found.slice(0, 10).join('\n\n')}`);
}

afterEach(noFaults);
afterAll(async () => {
  await noFaults();
  rmSync(folder, { recursive: true, force: true });
});
