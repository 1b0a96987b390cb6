import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../..');

/** Runs the example's own tests against the sources, where a user's would find the installed package. */
export const posConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^pinpad\/testing\/vitest$/, replacement: join(root, 'testing/vitest.ts') },
      { find: /^pinpad\/testing$/, replacement: join(root, 'testing/index.ts') },
    ],
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 15_000 },
});
export default posConfig;
