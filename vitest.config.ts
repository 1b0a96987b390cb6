import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', 'examples/**', 'test/consumer/**'],
    environment: 'node',
    setupFiles: ['test/conformance/setup.ts'],
    env: { TZ: 'UTC', LANG: 'C.UTF-8' },
    testTimeout: 30_000,
    maxWorkers: '100%',
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
