import { spawn } from 'node:child_process';

/** Runs a script. Resolves to its output. If it failed, the error follows the output. */
export function bash(
  script: string,
  env: Record<string, string>,
  cwd: string,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['--norc', '-eux', '-o', 'pipefail', '-c', script], {
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
