import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StartError } from '../../shared/start-error.ts';

/**
 * A path with its links resolved, also those of a folder in which it is yet to be made.
 *
 * @throws StartError if it is outside of the folder
 */
export function inside(folder: string, path: string): string {
  const root = realpathSync(folder);
  const real = realOf(resolve(root, path));
  const below = relative(root, real);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below))
    throw new StartError(
      `${JSON.stringify(path)} is outside of ${root}: name something in the folder where pinpad mcp was started`,
    );
  return real;
}

/** A link that leads nowhere yet is refused: what it leads to could be made afterwards. */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  if (above === path || lstatSync(path, { throwIfNoEntry: false }))
    throw new StartError(`${JSON.stringify(path)} leads nowhere`);
  return join(realOf(above), basename(path));
}

/** The same, and what is in the folder that the path names leads nowhere else: it may be written to. */
export function insideWithContents(folder: string, path: string): string {
  const real = inside(folder, path);
  if (existsSync(real))
    for (const name of readdirSync(real, { recursive: true, encoding: 'utf8' }))
      inside(folder, join(real, name));
  return real;
}
