import { spawnSync } from 'node:child_process';

let found: string | undefined;

/** Python's own path, or `python3`: what stands on the PATH may be a script that looks for it first, which takes longer than the program. */
export function pythonPath(): string {
  found ??= spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).stdout?.trim();
  return found || 'python3';
}
