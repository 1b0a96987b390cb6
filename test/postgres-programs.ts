import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';

/** The folder in which Debian puts the server's programs, which are not in the PATH. */
const debian = '/usr/lib/postgresql';

/**
 * Whether PostgreSQL is installed. If it is not, the tests that need PostgreSQL are skipped, and a warning is printed.
 * With PINPAD_REQUIRE_OPTIONAL=1 (CI), these tests run and fail.
 * @example describe.runIf(hasPostgres())('on PostgreSQL', () => { … });
 */
export function hasPostgres(): boolean {
  if (binary('postgres') || process.env.PINPAD_REQUIRE_OPTIONAL === '1') return true;
  console.warn(
    'SKIPPED, NOT PROVEN HERE: PostgreSQL missing (apt-get install postgresql to run these tests)',
  );
  return false;
}

function binary(name: string): string | undefined {
  let versions: string[] = [];
  try {
    versions = readdirSync(debian).sort((one, other) => Number(other) - Number(one));
  } catch {
    // on other systems, the programs are in the PATH
  }
  const folders = versions.map((version) => join(debian, version, 'bin', name));
  return [...folders, name].map(findProgram).find((path) => path !== undefined);
}

/**
 * Returns the path of one of PostgreSQL's programs.
 * @throws Error if it is not installed
 */
export function postgresProgram(name: string): string {
  const path = binary(name);
  if (!path) throw new Error(`${name} is missing: apt-get install postgresql`);
  return path;
}
