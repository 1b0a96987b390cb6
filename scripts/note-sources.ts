import { globSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { contentHashOf, sourcesNoteFile } from '../bin/clone-bundle.js';

const root = join(import.meta.dirname, '..');

/**
 * Files that affect the contents of a bundle, but are not in it. Each install of packages rewrites the first of these
 * files.
 */
const alsoShape = [
  ...['node_modules/.package-lock.json', 'tsconfig.json', 'console/page/tsconfig.json'],
  ...globSync('scripts/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts')),
];

/**
 * Returns the time of the folder's last change. This time can be compared with the change times of the sources, because
 * the same clock sets all of them.
 */
export function readFolderChangeTimeMs(folder: string): number {
  return statSync(folder).ctimeMs;
}

/**
 * Writes a note with the sources of a bundle into the bundle's folder. A clone runs the bundle until one of these
 * sources changes (bin/clone-bundle.js). If a source may have changed since `beganAt`, writes no note and returns
 * false, because the bundle may have an older content of that source.
 */
export function writeSourcesNote(folder: string, bundled: readonly string[], beganAt: number): boolean {
  const files = new Set([...bundled, ...alsoShape.map((file) => join(root, file))]);
  const noted = Array.from(files, (file) => {
    const { size, mtimeMs, ctimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { ctimeMs: beganAt };
    return { ctimeMs, line: [relative(root, file), size, mtimeMs, ctimeMs] };
  });
  if (noted.some(({ ctimeMs }) => ctimeMs >= beganAt)) return false;
  const lines = noted.map(({ line: [file, ...times] }) => [
    file,
    ...times,
    contentHashOf(join(root, `${file}`)),
  ]);
  writeFileSync(join(folder, sourcesNoteFile), JSON.stringify(lines));
  return true;
}
