import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open = new Set<string>();
let atExit = false;

/** A folder that is gone after `remove`, or with the process where a run is ended in the middle. */
export function temporaryFolder(): { path: string; remove(): void } {
  if (!atExit) process.on('exit', () => open.forEach(removed));
  atExit = true;
  const path = mkdtempSync(join(tmpdir(), 'pinpad-'));
  open.add(path);
  return { path, remove: () => removed(path) };
}

function removed(path: string): void {
  open.delete(path);
  rmSync(path, { recursive: true, force: true });
}
