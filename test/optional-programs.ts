import { test } from 'vitest';
import { findProgram } from './find-program.ts';

/**
 * Returns `test` if all these programs are installed, and otherwise a loud `test.skip`. With PINPAD_REQUIRE_OPTIONAL=1
 * (CI) a missing program fails the test instead.
 * @example testWith('socat')('a killed line is reported', async () => { … });
 */
export function testWith(...programs: string[]): typeof test | typeof test.skip {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length === 0 || process.env.PINPAD_REQUIRE_OPTIONAL === '1') return test;
  console.warn(
    `SKIPPED, NOT PROVEN HERE: ${missing.join(', ')} missing (apt-get install them to run these tests)`,
  );
  return test.skip;
}
