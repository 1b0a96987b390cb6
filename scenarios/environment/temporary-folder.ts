import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const open = new Set<string>();
let atExit = false;

/**
 * Makes a folder, and returns `remove`, which deletes it. If `remove` is never called, the folder is deleted when the
 * process exits.
 */
export function makeTemporaryFolder(): { path: string; remove(): void } {
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
