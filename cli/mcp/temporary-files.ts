import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathInside } from './path-inside.ts';

/**
 * Keeps temporary files in the project's folder: those of the tools, and those of the commands that the tools run
 * (B525).
 */
export class TemporaryFiles {
  readonly #root: string;
  readonly #folder: string;

  /** From here on, `.pinpad/temporary` is the system's folder for temporary files, also for commands. */
  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, '.pinpad', 'temporary');
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = this.#folder;
  }

  /** Makes the folder, also after it was removed. @throws StartError if a link leads out of the project */
  make(): void {
    mkdirSync(pathInside(this.#root, this.#folder), { recursive: true, mode: 0o700 });
  }

  /** Removes the folder, and `.pinpad` around it, if nothing is left in them. */
  remove(): void {
    try {
      rmdirSync(this.#folder);
      rmdirSync(dirname(this.#folder));
    } catch {
      // The folder was never made, or it holds files of the user or of another agent's tools.
    }
  }
}
