import { spawn } from 'node:child_process';

/**
 * Runs a bash script until a command fails. Resolves to the exit code, and to everything that the script wrote to
 * standard output and standard error.
 */
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
