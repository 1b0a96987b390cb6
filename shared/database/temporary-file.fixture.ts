import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Returns a path for a database file. The file is deleted when the test ends. */
export function temporaryDatabaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'pinpad.db');
}
