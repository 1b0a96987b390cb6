import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../shared/data-folder.ts';
import { lockSqlite } from '../shared/database/sqlite-connection.ts';
import type { Random } from '../shared/random.ts';
import { regularFile } from '../shared/regular-file.ts';
import { StartError } from './start-error.ts';

/** The name of the note that the folder has a database; a release that does not know it keeps it as a secret. */
const noteOfData = 'database';

/**
 * Secrets that must be known in plain text from one start to the next: the demo token a developer pasted
 * into their point of sale, and the keys the emulated terminals hold as real ones do. The gateway itself keeps
 * only hashes. One file in the data folder, readable by its owner alone; in memory when there is no folder.
 */
export class Credentials {
  #file: string | undefined;
  #secrets: Record<string, string>;
  /** Those that are not on disk yet: of all others, another process may have written newer ones since. */
  #unsaved: Record<string, string> = {};
  #random: Random;

  constructor(folder: string | undefined, random: Random) {
    this.#file = folder === undefined ? undefined : join(folder, 'credentials.json');
    this.#random = random;
    this.#secrets = readSecrets(this.#file);
  }

  /** The secret of that name, made now where there is none: `prefix` and 32 random bytes. */
  secret(name: string, prefix: string): string {
    return this.#secrets[name] ?? this.#set(name, makeSecret(this.#random, prefix));
  }

  /** Takes over secrets that others made, in place of its own of the same names. */
  adopt(secrets: Readonly<Record<string, string>>): void {
    for (const [name, secret] of Object.entries(secrets)) this.#set(name, secret);
  }

  /**
   * The device keys of the first `count` terminals that were made for this folder, on disk before the gateway hears of them:
   * whatever ends the process, the next start has them. Another process that asks at this time gets the same.
   */
  madeKeys(count: number, random: Random): string[] {
    return this.#alone(() => {
      this.#secrets = { ...readSecrets(this.#file), ...this.#unsaved };
      return Array.from({ length: count }, (_, nth) => this.#madeKey(nth + 1, random));
    });
  }

  /** The folder had its data in an SQLite file. */
  get hadData(): boolean {
    return this.#secrets[noteOfData] !== undefined;
  }

  /** Notes that data are in the folder's SQLite file, so that nothing takes an emptied one for a new one (B194). */
  noteData(): void {
    this.#set(noteOfData, 'pinpad.sqlite');
  }

  save(): void {
    if (Object.keys(this.#unsaved).length > 0) this.#alone(() => {});
  }

  #madeKey(number: number, random: Random): string {
    const name = `made terminal ${number}`;
    // Version 0.1.0 numbered them by itself.
    const former = this.#secrets[`terminal V400m-${200_000_000 + number}`];
    return this.#secrets[name] ?? this.#set(name, former ?? makeSecret(random, 'dev_'));
  }

  #set(name: string, secret: string): string {
    if (this.#secrets[name] !== secret) this.#unsaved[name] = secret;
    this.#secrets[name] = secret;
    return secret;
  }

  /** Does something and writes what is new, while no other process writes. */
  #alone<Result>(work: () => Result): Result {
    if (this.#file === undefined) return work();
    const unlock = lockedAlone(this.#file);
    try {
      const result = work();
      this.#write(this.#file);
      return result;
    } finally {
      unlock();
    }
  }

  #write(file: string): void {
    if (Object.keys(this.#unsaved).length === 0) return;
    const { [noteOfData]: note, ...others } = { ...readSecrets(file), ...this.#unsaved };
    const secrets = note === undefined ? others : { [noteOfData]: note, ...others }; // the first line can be removed by itself
    writePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
    this.#unsaved = {};
  }
}

/** @throws StartError where another process writes the file and does not get on */
function lockedAlone(file: string): () => void {
  try {
    return lockSqlite(file);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new StartError(`another process is writing ${file} and does not get on: end it first`);
  }
}

function makeSecret(random: Random, prefix: string): string {
  return prefix + Buffer.from(random.bytes(32)).toString('base64url');
}

/** The device keys kept in `folder`, for terminals that run in another process than their gateway. */
export function readCredentials(folder: string): { terminal(poiId: string): string | undefined } {
  const secrets = readSecrets(join(folder, 'credentials.json'));
  return { terminal: (poiId) => secrets[`terminal ${poiId}`] };
}

/**
 * What the gateways of a database agree on, by the names they agree by: the control token, API tokens and device keys. Card
 * fingerprints are each folder's own.
 */
export function secretsToShare(folder: string): Record<string, string> {
  const secrets = Object.entries(readSecrets(join(folder, 'credentials.json')));
  return Object.fromEntries(secrets.filter(([name]) => /^(control$|token |terminal )/.test(name)));
}

function readSecrets(file: string | undefined): Record<string, string> {
  if (file === undefined) return {};
  try {
    if (!regularFile(file)) return {};
    return checked(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // Others in their place would lock out every point of sale that has the former ones.
    const what = `${file} cannot be read (${(error as Error).message})`;
    throw new StartError(`${what}: repair it, or remove it to create new tokens and keys`);
  }
}

function checked(json: unknown): Record<string, string> {
  const isOne = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isOne || !Object.values(json).every((secret) => typeof secret === 'string'))
    throw new Error('it is no object of texts');
  return json as Record<string, string>;
}
