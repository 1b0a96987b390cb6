import { spawnSync } from 'node:child_process';

let found: string | undefined;

/**
 * Returns the path of the real Python program. If the path cannot be found, returns `python3`. The `python3` in the
 * PATH may be a script that first searches for Python. This search takes longer than the test's own program.
 */
export function pythonPath(): string {
  found ??= spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).stdout?.trim();
  return found || 'python3';
}
