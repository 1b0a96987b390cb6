import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { captureExchanges } from './capture.ts';
import type { Exchange } from './conformance.ts';

/* This module is evaluated once in a worker, even if many test files run there. So it subscribes only once. */

/**
 * The module that checks exchanges. It is loaded at the first exchange and then kept here, because every `import()`
 * makes Vitest ask its main process.
 */
let loading: Promise<typeof import('./faults-of.ts')> | undefined;
function checker(): Promise<typeof import('./faults-of.ts')> {
  loading ??= import('./faults-of.ts');
  return loading;
}

const faults: string[] = [];
let checking = Promise.resolve();
const { announce } = captureExchanges((exchange, endpoints) => {
  checking = checking.then(async () => {
    const { findConformanceFaults } = await checker();
    faults.push(...findConformanceFaults(exchange, await endpoints()));
  });
});
subscribe('pinpad:http-server', announce);

// this is a URL, because an option in NODE_OPTIONS may not contain blanks
const inChild = pathToFileURL(join(import.meta.dirname, 'in-child.mjs')).href;
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${inChild}`.trim();

/** Returns a file in this folder. All processes that are started from now on write their exchanges to that file. */
export function reportChildExchanges(folder: string): string {
  const file = join(folder, 'exchanges.jsonl');
  process.env.PINPAD_CONFORMANCE_REPORT = file;
  return file;
}

/**
 * Throws an error if differences were found since the last call, in this process or in the processes that write to
 * the file `report`.
 */
export async function throwIfNonconforming(report: string): Promise<void> {
  await checking;
  const found = [...faults.splice(0), ...(await faultsOfChildren(report))];
  if (found.length > 0)
    throw new Error(`not as the OpenAPI document says:\n${found.slice(0, 10).join('\n\n')}`);
}

async function faultsOfChildren(report: string): Promise<string[]> {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, 'utf8').split('\n');
  rmSync(report);
  const { findConformanceFaults: faultsOf } = await checker();
  const { makeAllResources: makeAllEndpoints } = await import('../../gateway/openapi.ts');
  const { adyenEndpoints } = await import('../../gateway/dialects/adyen/endpoints.ts');
  // Describing the endpoints needs no services, so empty objects take the place of the services.
  const endpoints = [...makeAllEndpoints({} as never), adyenEndpoints({} as never, {} as never)].flat();
  // The last line is left out, because it is empty or because a kill cut it off.
  return lines.slice(0, -1).flatMap((line) => faultsOf(JSON.parse(line) as Exchange, endpoints));
}
