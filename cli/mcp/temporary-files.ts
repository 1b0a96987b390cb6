import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolvePathInside } from './path-inside.ts';

/**
 * Redirects the temporary files of the tools, and of the commands that the tools run, into the project's folder (B525).
 */
export class TemporaryFolderRedirection {
  readonly #root: string;
  readonly #folder: string;

  /**
   * Sets the environment variables for temporary files to `.pinpad/temporary`, in this process and in the commands that
   * it starts.
   */
  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, '.pinpad', 'temporary');
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = this.#folder;
  }

  /** Makes the folder if it does not exist. @throws StartError if a link leads out of the project */
  make(): void {
    mkdirSync(resolvePathInside(this.#root, this.#folder), { recursive: true, mode: 0o700 });
  }

  /** Removes the folder if it is empty, and then `.pinpad` if that is empty too. */
  remove(): void {
    try {
      rmdirSync(this.#folder);
      rmdirSync(dirname(this.#folder));
    } catch {
      // The folder was never made, or it holds files of the user or of another agent's tools.
    }
  }
}
