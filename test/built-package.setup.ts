import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Vitest runs this before the tests. It makes the folder into which `built-package.ts` builds the package for all
 * workers.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-built-'));
  process.env.PINPAD_BUILT = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
