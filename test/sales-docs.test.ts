import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';
import { bash } from './run-bash.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'sales.md'), 'utf8');

testWith('bash', 'curl')('every line of docs/sales.md does what the page says, in its order', async () => {
  const stack = await startStack(
    resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, logLevel: 'silent' }),
  );
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
  try {
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
    const values = {
      URL: stack.url,
      CONTROL_TOKEN: stack.controlToken,
      TOKEN: stack.tokens[0]?.token ?? '',
      TERMINAL: stack.terminals[0]?.identifier ?? '',
      PINPAD_BELIEFS_URL: stack.beliefs[0]?.url ?? '',
    };
    const { code, output } = await bash(blocks.join('\n'), values, folder);
    expect(code, output).toBe(0);
    expect(output).toContain('"callsText":"POST"');
    expect(output).toContain('"untold":[]');
    expect(output).toContain('"rule":"wrong-belief"');
  } finally {
    rmSync(folder, { recursive: true });
    await stack.close();
  }
});
