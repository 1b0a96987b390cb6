import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../shared/random.ts';

/**
 * Secrets that somebody must know in the clear from one start to the next: the demo token a developer pasted
 * into their point of sale, and the keys the emulated terminals hold as real ones do. The gateway itself keeps
 * only hashes. One file in the data folder, readable by its owner alone; in memory when there is no folder.
 */
export class Credentials {
  #file: string | undefined;
  #secrets: Record<string, string>;
  #random: Random;

  constructor(folder: string | undefined, random: Random) {
    this.#file = folder === undefined ? undefined : join(folder, 'credentials.json');
    this.#random = random;
    this.#secrets = this.#read();
  }

  /** The secret of that name, made now where there is none: `prefix` and 32 random bytes. */
  secret(name: string, prefix: string): string {
    this.#secrets[name] ??= prefix + Buffer.from(this.#random.bytes(32)).toString('base64url');
    return this.#secrets[name];
  }

  save(): void {
    if (this.#file === undefined) return;
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, `${JSON.stringify(this.#secrets, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, this.#file);
  }

  #read(): Record<string, string> {
    try {
      return this.#file === undefined
        ? {}
        : (JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, string>);
    } catch {
      return {};
    }
  }
}
