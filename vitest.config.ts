import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', 'examples/**'],
    environment: 'node',
    env: { TZ: 'UTC', LANG: 'C.UTF-8' },
    testTimeout: 30_000,
  },
});
