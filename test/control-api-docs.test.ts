import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadOpenapiDocument } from '../gateway/index.ts';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';
import { bash } from './run-bash.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'control-api.md'), 'utf8');

test('the page mentions every part of the control API', async () => {
  const { paths } = (await loadOpenapiDocument('http://127.0.0.1')) as { paths: object };
  const parts = Object.keys(paths).flatMap((path) => /^\/control(\/[a-z-]+)/.exec(path)?.[1] ?? []);
  const table = /\| Under `\/control`[\s\S]*?\n\n/.exec(page)?.[0] ?? '';
  const named = [...table.matchAll(/`(\/[a-z-]+)`/g)].map(([, part]) => part);
  expect(new Set(named.slice(1))).toEqual(new Set(parts));
});

testWith('bash', 'curl')(
  'every line of docs/control-api.md does what the page says, in its order',
  async () => {
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'skipping', seed: 1, logLevel: 'silent' }),
    );
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
    try {
      const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
      expect(blocks.length).toBeGreaterThan(10);
      const { code, output } = await bash(
        blocks.join('\n'),
        {
          URL: stack.url,
          CONTROL_TOKEN: stack.controlToken,
          TOKEN: stack.tokens[0]?.token ?? '',
          TERMINAL: stack.terminals[0]?.identifier ?? '',
        },
        folder,
      );
      expect(code, output).toBe(0);
      expect(output).toContain('APPROVED');
      expect(output).toMatch(/^303$/m);
      expect(output).toContain('"agree":true');
    } finally {
      rmSync(folder, { recursive: true });
      await stack.close();
    }
  },
);
