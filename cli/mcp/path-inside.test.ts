import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../shared/start-error.ts';
import { resolveFolderInside } from './path-inside.ts';

test('a file in the place of a folder is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-inside-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'data'), '');
  expect(() => resolveFolderInside(folder, 'data')).toThrow(new StartError('"data" is not a folder'));
});
