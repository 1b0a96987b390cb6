import { spawnSync } from 'node:child_process';

let found: string | undefined;

/**
 * Returns the path of Python itself, or `python3`. The program on the PATH may be a script that searches for Python,
 * which takes longer than the test's program.
 */
export function pythonPath(): string {
  found ??= spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).stdout?.trim();
  return found || 'python3';
}
