import { join } from 'node:path';
import type { Vendor } from '../vendors.ts';
import { appendOption, type EnvironmentVariables } from './environment.ts';

/**
 * The file that Node loads before a program. It is a file of the package and not a temporary file, so that programs
 * that run longer than the command can still load it.
 */
const preload = join(import.meta.dirname, '../preload/lead.cjs');

/** Returns the variables that redirect every connection of Node programs, whichever library opens it. */
export function makeNodeVariables(
  environment: EnvironmentVariables,
  redirection: { vendor: Vendor; serverPort: number; certificates: string },
): Record<string, string> {
  const file = preload.replaceAll('\\', '\\\\');
  const before = environment.NODE_OPTIONS;
  return {
    NODE_OPTIONS: before?.includes(file) ? before : appendOption(before, `--require "${file}"`),
    NODE_EXTRA_CA_CERTS: redirection.certificates,
    // Node's preload file reads this variable.
    PINPAD_LEADS: JSON.stringify({ port: redirection.serverPort, hosts: redirection.vendor.hosts }),
  };
}
