import { join } from 'node:path';
import type { Vendor } from '../vendors.ts';
import { type EnvironmentVariables, withOption } from './environment.ts';

/** The program that Node loads first: a file of the package, so that what the command leaves running still finds it. */
const preload = join(import.meta.dirname, '../preload/lead.cjs');

/** Leads every connection of programs in Node, whatever makes it. */
export function nodeVariables(
  environment: EnvironmentVariables,
  led: { vendor: Vendor; frontPort: number; certificates: string },
): Record<string, string> {
  const file = preload.replaceAll('\\', '\\\\');
  const before = environment.NODE_OPTIONS;
  return {
    NODE_OPTIONS: before?.includes(file) ? before : withOption(before, `--require "${file}"`),
    NODE_EXTRA_CA_CERTS: led.certificates,
    // Read by the preload.
    PINPAD_LEADS: JSON.stringify({ port: led.frontPort, hosts: led.vendor.hosts }),
  };
}
