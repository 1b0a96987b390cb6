import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import './test/named-tests.ts';
import { isThoroughRun } from './test/draws.ts';
import { hasPostgres } from './test/postgres-programs.ts';

// Vitest's workers, and the processes that they start, keep the compiled sources from one run to the next.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

const notOurs = ['node_modules/**', 'dist/**', 'build/**', 'examples/**', 'test/consumer/**'];
const ccidEmulator = 'terminal-emulator/readers/emulators/ccid-emulator.pcscd.test.ts';

/** The test files that keep a processor busy for most of their time. They take the longest. */
const compute = [
  'scenarios/library',
  'trials/crash/crash',
  'property/every-state',
  'property/random-commands',
  'trials/many/many',
  'examples/examples',
  'many-gateways/library',
];

/**
 * The test files that wait for most of their time, because they start processes. To start another process, Node copies
 * its own process. A worker's process grows with time, and then copying it takes longer. So these files run early.
 */
const wait =
  /\/(gateway\/cluster|test\/(cli|console|database|readers|trace|tui))\/|many-gateways\.test\.ts$|\.(pty|chromium)\.test\.ts$/;

/**
 * Sorts the test files. The files on PostgreSQL come first, because their workers run no other files and would be the
 * last to end. Next come the files that wait. The files that keep a processor busy are spread among them. The other
 * files follow, from the largest to the smallest.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const onPostgres = sorted.filter(({ project }) => project.name === 'postgres');
    const others = sorted.filter(({ project }) => project.name !== 'postgres');
    const place = ({ moduleId }: TestSpecification) =>
      compute.findIndex((test) => moduleId.endsWith(`/test/${test}.test.ts`));
    const computing = others
      .filter((file) => place(file) >= 0)
      .sort((one, other) => place(one) - place(other));
    const waiting = others.filter((file) => place(file) < 0 && wait.test(file.moduleId));
    const rest = others.filter((file) => place(file) < 0 && !wait.test(file.moduleId));
    const mixed = waiting.flatMap((file, nth) =>
      nth % 4 === 0 ? [...computing.splice(0, 1), file] : [file],
    );
    return [...onPostgres, ...mixed, ...computing, ...rest];
  }
}
/**
 * The test files that run a second time, with the gateway's data in PostgreSQL. This happens only in thorough runs such
 * as `.ci/run`.
 */
const alsoOnPostgres = [
  'payments/moving/recovery',
  'payments/abort',
  'payments/native-api/idempotency',
  'refunds/refunds',
];

export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: ['test/conformance/setup.ts'],
    globalSetup: ['test/built-package.setup.ts', 'test/postgres.setup.ts'],
    env: { TZ: 'UTC', LANG: 'C.UTF-8' },
    sequence: { sequencer: LongestFirst },
    hookTimeout: 120_000,
    // This limit is for tests that hang. A busy machine takes 20 times as long as an idle one.
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } }, // Playwright waits for the same time
    // Test files often wait for terminals, readers, processes and databases, so more of them run at once than there are
    // processors. At most sixteen do, because each takes memory.
    maxWorkers: Math.min(availableParallelism() * 2, 16),
    execArgv: ['--max-semi-space-size=64'], // tests leave garbage, which costs less if it is collected less often
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['**/*.test.ts'],
          exclude: [...notOurs, ccidEmulator],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include:
            hasPostgres() && isThoroughRun ? alsoOnPostgres.map((test) => `gateway/${test}.test.ts`) : [],
          provide: { postgres: true },
          sequence: { groupOrder: 0 },
        },
      },
      {
        // These tests run alone. If the emulated reader has to wait for a processor, pcscd's driver reports a reader
        // without a card.
        extends: true,
        test: {
          name: 'pcscd',
          include: [ccidEmulator],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
