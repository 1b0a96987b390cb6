import { readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../shared/clock.ts';
import { statRegularFile } from '../../shared/regular-file.ts';
import type { ConsoleExplorations } from '../../stack/index.ts';

/** The folder in which `pinpad explore` writes its page and traces, unless it is given another. */
export const explorationsFolder = 'traces/explore';
export const explorationPageFile = 'index.html';
/**
 * The page of an exploration with `--only`. It has a name of its own, so that the page of the whole exploration stays
 * (B392).
 */
export const partialExplorationPageFile = 'only.html';

/**
 * Whether a name is one of an exploration's pages. No other name is accepted, because it could lead out of the folder.
 */
const isPage = (name: string) => /^[\w@+-][\w@.+-]{0,130}\.html$/.test(name);

/** The page of a run has at most some megabytes. */
const mostBytes = 50_000_000;

/** Makes the console's view of the last exploration in a folder. */
export function consoleExplorations(folder = explorationsFolder): ConsoleExplorations {
  /** Returns undefined if the name is not a file, or if the file is gone by now or may not be read. */
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
