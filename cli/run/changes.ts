import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { delay, systemClock } from '../../shared/clock.ts';
import { StartError } from '../../stack/index.ts';

/**
 * A change counts as complete when no file has changed for this long, because editors write a file in several parts.
 */
const quietMs = 80;

/** Notes changes of scenario files, even changes that occur while nothing waits for one. */
export class ScenarioChanges {
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
   * Resolves once a scenario has changed since the last call, and the change is complete.
   *
   * @throws StartError if a folder is gone, because changes in it would not be seen, even if the folder is made again
   */
  async next(): Promise<void> {
    await this.#changed.promise;
    await delay(systemClock, quietMs);
    for (const folder of this.#folders)
      if (!existsSync(folder)) throw new StartError(`--watch: ${folder} is not there any more`);
    this.#changed = Promise.withResolvers();
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }
}

/**
 * Returns the folder to watch: the folder itself, the folder of a file, or the part of a glob before its first special
 * character.
 */
function folderOf(path: string): string {
  const [before = ''] = path.split(/[*?{[]/);
  if (before !== path) return before === '' ? '.' : before.endsWith('/') ? before : dirname(before);
  return /\.ya?ml$/.test(path) ? dirname(path) : path;
}
