import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StartError } from '../../shared/start-error.ts';

/**
 * Resolves all links of a path, even if the path or some of its folders do not exist yet.
 *
 * @throws StartError if the result is outside of the folder
 */
export function resolvePathInside(folder: string, path: string): string {
  const root = realpathSync(folder);
  const real = realOf(resolve(root, path));
  const below = relative(root, real);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below))
    throw new StartError(
      `${JSON.stringify(path)} is outside of ${root}: choose a file or folder in the folder where pinpad mcp was started`,
    );
  return real;
}

/**
 * Resolves the links of a path. Refuses a link whose target does not exist, because someone could make the target
 * later, outside of the folder.
 */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  if (above === path || lstatSync(path, { throwIfNoEntry: false }))
    throw new StartError(`${JSON.stringify(path)} leads nowhere`);
  return join(realOf(above), basename(path));
}

/**
 * Does the same as {@link resolvePathInside} for a folder that may be written to, and checks that no link in that folder leads out
 * of `folder`.
 */
export function resolveFolderInside(folder: string, path: string): string {
  const real = resolvePathInside(folder, path);
  if (!existsSync(real)) return real;
  if (!statSync(real).isDirectory()) throw new StartError(`${JSON.stringify(path)} is not a folder`);
  for (const name of readdirSync(real, { recursive: true, encoding: 'utf8' }))
    resolvePathInside(folder, join(real, name));
  return real;
}
