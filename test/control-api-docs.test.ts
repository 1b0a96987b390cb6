import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { resolveConfig, startStack } from '../stack/index.ts';
import { testWith } from './optional-programs.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'control-api.md'), 'utf8');

/** Runs a script; gives what it printed, with the error where it ended with one. */
function bash(
  script: string,
  env: Record<string, string>,
  cwd: string,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-eux', '-o', 'pipefail', '-c', script], {
      cwd,
      env: { ...process.env, ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data;
      });
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

testWith('bash', 'curl')(
  'every line of docs/control-api.md does what the page says, in its order',
  async () => {
    const stack = await startStack(
      resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, logLevel: 'silent' }),
    );
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-docs-'));
    try {
      const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
      expect(blocks.length).toBeGreaterThan(10);
      const { code, output } = await bash(
        blocks.join('\n'),
        {
          URL: stack.url,
          CONTROL: stack.controlToken,
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
