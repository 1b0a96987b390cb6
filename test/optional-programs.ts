import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';

/**
 * `test` where all these programs are installed, else a loud `test.skip`. With PINPAD_REQUIRE_OPTIONAL=1 (CI)
 * a missing program fails the test instead.
 *
 * @example
 * testWith('socat')('a killed line is reported', async () => { … });
 */
export function testWith(...programs: string[]): typeof test | typeof test.skip {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length === 0 || process.env.PINPAD_REQUIRE_OPTIONAL === '1') return test;
  console.warn(
    `SKIPPED, NOT PROVEN HERE: ${missing.join(', ')} missing (apt-get install them to run these tests)`,
  );
  return test.skip;
}

/** Where a program or file is; administrators' folders count, as pcscd lives there. */
export function findProgram(name: string): string | undefined {
  const folders = name.startsWith('/')
    ? ['']
    : [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(exists);
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
