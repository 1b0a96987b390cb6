import { globSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { contentHashOf, sourcesNoteFile } from '../bin/clone-bundle.js';

const root = join(import.meta.dirname, '..');

/** Files that are not in a bundle but shape it. Each install rewrites the first one. */
const alsoShape = [
  ...['node_modules/.package-lock.json', 'tsconfig.json', 'console/page/tsconfig.json'],
  ...globSync('scripts/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts')),
];

/** Returns the time of the folder's last change. All files beside the folder get their times from the same clock. */
export function folderChangeTime(folder: string): number {
  return statSync(folder).ctimeMs;
}

/**
 * Notes in a bundle's folder the files of which it was made: until one of them changes, a clone runs it
 * (bin/clone-bundle.js). If a file may have changed since `beganAt`, its bundled content is not known. Then there is no
 * note, and the result is false.
 */
export function noteSources(folder: string, bundled: readonly string[], beganAt: number): boolean {
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
