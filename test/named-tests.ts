import { existsSync } from 'node:fs';

/**
 * Makes a run of tests that the developer names (`npx vitest run test/explore`) as thorough as `.ci/run`, so that no
 * case of these tests is left out. `vitest.config.ts` imports this file before any file that reads PINPAD_DRAWS.
 */
const isNamed = (argument: string) => !argument.startsWith('-') && existsSync(argument);
if (process.argv.slice(2).some(isNamed)) process.env.PINPAD_DRAWS ??= '6';
