import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../shared/data-folder.ts';
import { lockSqlite } from '../shared/database/sqlite-connection.ts';
import type { Random } from '../shared/random.ts';
import { statRegularFile } from '../shared/regular-file.ts';
import { StartError } from './start-error.ts';

/**
 * The name of the note that says that the folder has a database. The note is kept among the secrets, so a release that
 * does not know the note keeps it too.
 */
const noteOfData = 'database';

/**
 * Keeps secrets that must be known in plain text from one start to the next: the demo token that a developer pasted
 * into their point of sale, and the keys of the emulated terminals, because real terminals store theirs too. The
 * gateway itself keeps only hashes. The secrets are in one file of the data folder that only its owner can read, or in
 * memory if there is no folder.
 */
export class Credentials {
  #file: string | undefined;
  #secrets: Record<string, string>;
  /**
   * The secrets that are not on disk yet. For every other name, the file may have a newer secret from another process.
   */
  #unsaved: Record<string, string> = {};
  #random: Random;

  constructor(folder: string | undefined, random: Random) {
    this.#file = folder === undefined ? undefined : join(folder, 'credentials.json');
    this.#random = random;
    this.#secrets = readSecrets(this.#file);
  }

  /** Returns the secret of that name. If there is none, it is made now from `prefix` and 32 random bytes. */
  secret(name: string, prefix: string): string {
    return this.#secrets[name] ?? this.#set(name, makeSecret(this.#random, prefix));
  }

  /** Takes over the secrets of the database's gateways, in place of this folder's secrets of the same names. */
  adopt(secrets: Readonly<Record<string, string>>): void {
    for (const [name, secret] of Object.entries(secrets)) this.#set(name, secret);
  }

  /**
   * Returns the device keys of the first `count` terminals that were made for this folder. They are on disk before the
   * gateway gets them, so the next start has them, however this process ends. If another process calls this at the same
   * time, it gets the same keys.
   */
  madeKeys(count: number, random: Random): string[] {
    return this.#whileLocked(() => {
      this.#secrets = { ...readSecrets(this.#file), ...this.#unsaved };
      return Array.from({ length: count }, (_, nth) => this.#madeKey(nth + 1, random));
    });
  }

  /** Whether the folder's data were in an SQLite file at an earlier start. */
  get hadData(): boolean {
    return this.#secrets[noteOfData] !== undefined;
  }

  /**
   * Notes that the folder's data are in its SQLite file, so that an emptied file is not mistaken for a new one (B194).
   */
  noteData(): void {
    this.#set(noteOfData, 'pinpad.sqlite');
  }

  save(): void {
    if (Object.keys(this.#unsaved).length > 0) this.#whileLocked(() => {});
  }

  #madeKey(number: number, random: Random): string {
    const name = `made terminal ${number}`;
    // Version 0.1.0 numbered these terminals itself.
    const former = this.#secrets[`terminal V400m-${200_000_000 + number}`];
    return this.#secrets[name] ?? this.#set(name, former ?? makeSecret(random, 'dev_'));
  }

  #set(name: string, secret: string): string {
    if (this.#secrets[name] !== secret) this.#unsaved[name] = secret;
    this.#secrets[name] = secret;
    return secret;
  }

  /** Does something and writes new secrets, while no other process writes. */
  #whileLocked<Result>(work: () => Result): Result {
    if (this.#file === undefined) return work();
    const unlock = lockFile(this.#file);
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
    // the note comes first, so that a person can remove that line
    const secrets = note === undefined ? others : { [noteOfData]: note, ...others };
    writePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
    this.#unsaved = {};
  }
}

/** @throws StartError if another process keeps the file locked */
function lockFile(file: string): () => void {
  try {
    return lockSqlite(file);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new StartError(`another process is writing ${file} and does not finish: end it first`);
  }
}

function makeSecret(random: Random, prefix: string): string {
  return prefix + Buffer.from(random.bytes(32)).toString('base64url');
}

/** Reads the device keys kept in `folder`, for terminals that run in another process than their gateway. */
export function readCredentials(folder: string): { terminal(poiId: string): string | undefined } {
  const secrets = readSecrets(join(folder, 'credentials.json'));
  return { terminal: (poiId) => secrets[`terminal ${poiId}`] };
}

/**
 * Returns the secrets on which all gateways of a database agree, by their names: the control token, API tokens and
 * device keys. Card fingerprints are not shared, so they differ from folder to folder.
 */
export function readClusterSecrets(folder: string): Record<string, string> {
  const secrets = Object.entries(readSecrets(join(folder, 'credentials.json')));
  return Object.fromEntries(secrets.filter(([name]) => /^(control$|token |terminal )/.test(name)));
}

function readSecrets(file: string | undefined): Record<string, string> {
  if (file === undefined) return {};
  try {
    if (!statRegularFile(file)) return {};
    return checkSecrets(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // If the secrets were made anew, every point of sale that has the former ones would be locked out.
    const what = `${file} cannot be read (${(error as Error).message})`;
    throw new StartError(`${what}: repair it, or remove it to create new tokens and keys`);
  }
}

function checkSecrets(json: unknown): Record<string, string> {
  const isOne = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isOne || !Object.values(json).every((secret) => typeof secret === 'string'))
    throw new Error('it is not a JSON object of strings');
  return json as Record<string, string>;
}
