import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { delay, systemClock } from '../../shared/clock.ts';
import { StartError } from '../../stack/index.ts';

/** The wait after the first change, because editors write a file in several parts. */
const quietMs = 80;

/** Watches scenario files for changes. Also notes changes that occur while no call of `next` is waiting. */
export class ScenarioFileWatcher {
  readonly #folders: ReadonlySet<string>;
  #watchers: FSWatcher[] = [];
  #changed = Promise.withResolvers<void>();

  /** @throws StartError if the folders of `paths` cannot be watched */
  constructor(paths: readonly string[]) {
    this.#folders = new Set(paths.map(folderOf));
    try {
      for (const folder of this.#folders)
        this.#watchers.push(
          watch(folder, { recursive: true }, (_event, name) => {
            if (name === null || /\.ya?ml$/.test(name) || !existsSync(folder)) this.#changed.resolve();
          }).on('error', () => this.#changed.resolve()),
        );
    } catch (error) {
      this.close();
      throw new StartError(`--watch: ${(error as Error).message}`);
    }
  }

  /**
   * Resolves once a scenario file has changed since the last call, and 80 ms have passed.
   *
   * @throws StartError if a watched folder no longer exists. Changes in that folder would not be seen, even if someone
   * makes the folder again
   */
  async next(): Promise<void> {
    await this.#changed.promise;
    await delay(systemClock, quietMs);
    for (const folder of this.#folders)
      if (!existsSync(folder)) throw new StartError(`--watch: ${folder} no longer exists`);
    this.#changed = Promise.withResolvers();
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }
}

/**
 * Returns the folder to watch. For a folder, this is the folder itself. For a file, it is the file's folder. For a
 * glob, it is the last folder before the first special character.
 */
function folderOf(path: string): string {
  const [before = ''] = path.split(/[*?{[]/);
  if (before !== path) return before === '' ? '.' : before.endsWith('/') ? before : dirname(before);
  return /\.ya?ml$/.test(path) ? dirname(path) : path;
}
