import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventDescriptions } from '../gateway/index.ts';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';
import { bash } from './run-bash.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', 'docs', name), 'utf8');

testWith('bash', 'curl').each(['payment-links.md', 'webhooks.md'])(
  'every line of docs/%s does what the page says, in its order',
  async (name) => {
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, logLevel: 'silent' }),
      { terminals: false },
    );
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
    try {
      const blocks = [...read(name).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
      expect(blocks.length).toBeGreaterThan(4);
      const env = { URL: stack.url, CONTROL_TOKEN: stack.controlToken, TOKEN: stack.tokens[0]?.token ?? '' };
      const { code, output } = await bash(blocks.join('\n'), env, folder);
      expect(code, output).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
      await stack.close();
    }
  },
);

test('docs/webhooks.md lists every event as it is described', () => {
  const listed = [...read('webhooks.md').matchAll(/^\| `(payments\.[a-z.]+)` \| (.*) \|$/gm)].map(
    ([, type, text]) => [type, text],
  );
  expect(Object.fromEntries(listed)).toEqual(eventDescriptions);
});
