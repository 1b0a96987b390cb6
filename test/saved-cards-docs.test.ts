import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';
import { bash } from './run-bash.ts';

testWith('bash', 'curl').each(['saved-cards.md', 'refunds.md'])(
  'every line of docs/%s does what the page says, in its order',
  async (name) => {
    const page = readFileSync(join(import.meta.dirname, '..', 'docs', name), 'utf8');
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, logLevel: 'silent' }),
    );
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
    try {
      const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
      expect(blocks.length).toBeGreaterThan(5);
      const [token] = stack.tokens;
      const env = { URL: stack.url, CONTROL_TOKEN: stack.controlToken, TOKEN: token?.token ?? '' };
      const { code, output } = await bash(blocks.join('\n'), env, folder);
      expect(code, output).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
      await stack.close();
    }
  },
);
