import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../shared/clock.ts';
import { regularFile } from '../../shared/regular-file.ts';
import type { ConsoleExplorations } from '../../stack/index.ts';

/** Where `pinpad explore` writes its page and traces, unless it was told another folder. */
export const explorationsFolder = 'traces/explore';
export const explorationPage = 'index.html';

/** Its file names, and none that would lead out of the folder. */
const isPage = (name: string) => /^[\w@+-][\w@.+-]{0,130}\.html$/.test(name);

/** The last exploration in a folder, as the console shows it. */
export function consoleExplorations(folder = explorationsFolder): ConsoleExplorations {
  const there = (name: string) => {
    try {
      return regularFile(join(folder, name));
    } catch {
      return undefined; // what is no file is no page
    }
  };
  return {
    exploredAt: () => {
      const stats = there(explorationPage);
      return stats && isoTime(stats.mtimeMs);
    },
    page: (name) => (isPage(name) && there(name) ? readFileSync(join(folder, name), 'utf8') : undefined),
  };
}
