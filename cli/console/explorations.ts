import { readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../shared/clock.ts';
import { statRegularFile } from '../../shared/regular-file.ts';
import type { ConsoleLastExploration } from '../../stack/index.ts';

/** The folder in which `pinpad explore` writes its page and traces, unless the user names another folder. */
export const explorationsFolder = 'traces/explore';
export const explorationPageFile = 'index.html';
/**
 * The page of an exploration with `--only`. This page has a file name of its own, so that it does not overwrite the
 * page of the whole exploration (B392).
 */
export const partialExplorationPageFile = 'only.html';

/**
 * Whether the page of an exploration may have this name. All other names are refused, because a name such as `../x`
 * would point outside of the folder.
 */
const isPage = (name: string) => /^[\w@+-][\w@.+-]{0,130}\.html$/.test(name);

/** The maximum size of a page that is read. The page of a run has at most a few megabytes. */
const mostBytes = 50_000_000;

/** Makes the functions with which the console reads the pages of the last exploration in a folder. */
export function makeConsoleLastExploration(folder = explorationsFolder): ConsoleLastExploration {
  /**
   * Calls `find` for a file of the folder. Returns undefined if there is no regular file with this name, or if reading
   * the file fails.
   */
  const of = <Found>(name: string, find: (file: string, stats: Stats) => Found): Found | undefined => {
    try {
      const file = join(folder, name);
      const stats = statRegularFile(file);
      return stats && find(file, stats);
    } catch {
      return undefined;
    }
  };
  const page = (file: string, { size }: Stats) => (size > mostBytes ? undefined : readFileSync(file, 'utf8'));
  return {
    exploredAt: () => of(explorationPageFile, (_, { mtimeMs }) => isoTime(mtimeMs)),
    page: (name) => (isPage(name) ? of(name, page) : undefined),
  };
}
