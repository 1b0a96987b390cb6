import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../../shared/data-folder.ts';

/** The sessions that were signed out of before their time, `ID.UNTIL` each; a file in the data folder where there is one. */
export class SignedOut {
  readonly #file: string | undefined;
  readonly #sessions: Set<string>;

  constructor(dataFolder: string | undefined, now: number) {
    this.#file = dataFolder === undefined ? undefined : join(dataFolder, 'signed-out.txt');
    const holds = (session: string) => Number(session.split('.')[1]) > now;
    this.#sessions = new Set(this.#file === undefined ? [] : linesOf(this.#file).filter(holds));
  }

  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  /** @throws where it cannot be written; until the next start the session is over all the same */
  add(session: string): void {
    this.#sessions.add(session);
    if (this.#file !== undefined) writePrivateFile(this.#file, [...this.#sessions, ''].join('\n'));
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
