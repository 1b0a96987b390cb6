import { test } from 'vitest';
import { isThoroughRun } from './draws.ts';
import { findProgram } from './find-program.ts';

/**
 * Returns `test` if all these programs are installed. Otherwise prints a warning and returns `test.skip`. With
 * PINPAD_REQUIRE_OPTIONAL=1 (CI), always returns `test`, so a test that lacks a program fails.
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

/**
 * Returns `testWith(...programs)` in a thorough run such as `.ci/run`, and otherwise `test.skip`. It is for a test that
 * takes a second or more, beside a cheaper test of the same behaviour that `npm test` runs.
 * @example testThoroughly()('a card that answers after 8 s', async () => { … });
 */
export function testThoroughly(...programs: string[]): typeof test | typeof test.skip {
  return isThoroughRun ? testWith(...programs) : test.skip;
}
