import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../shared/data-folder.ts';
import { lockSqlite } from '../shared/database/sqlite-connection.ts';
import type { Random } from '../shared/random.ts';
import { statRegularFile } from '../shared/regular-file.ts';
import { StartError } from './start-error.ts';

/**
 * The name of the note that says that the folder has a database. The note is stored like a secret. So releases of
 * pinpad that do not know the note do not delete it.
 */
const noteOfData = 'database';

/**
 * Keeps secrets in plain text from one start to the next. It keeps tokens, because developers have pasted them into
 * their point of sale. It keeps the keys of the emulated terminals, because real terminals store their keys too. The
 * gateway stores only hashes of these secrets. The secrets are in a file of the data folder. Only the file's owner
 * can read the file. Without a folder, the secrets are in memory.
 */
export class CredentialStore {
  #file: string | undefined;
  #secrets: Record<string, string>;
  /**
   * The secrets that are not on disk yet. For all other secrets, the file may contain newer values, because another
   * process may have written the file.
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

  /**
   * Stores the secrets on which the gateways of the database have agreed. If this folder has a secret with the same
   * name, that secret is replaced.
   */
  adopt(secrets: Readonly<Record<string, string>>): void {
    for (const [name, secret] of Object.entries(secrets)) this.#set(name, secret);
  }

  /**
   * Returns the device keys of the first `count` terminals that were made for this folder. The keys are written to disk
   * before the gateway gets them, so that the next start has the same keys even if this process is killed. Another
   * process that calls this at the same time gets the same keys.
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
    // In version 0.1.0, pinpad itself chose the numbers of these terminals, and stored their keys under these numbers.
    const former = this.#secrets[`terminal V400m-${200_000_000 + number}`];
    return this.#secrets[name] ?? this.#set(name, former ?? makeSecret(random, 'dev_'));
  }

  #set(name: string, secret: string): string {
    if (this.#secrets[name] !== secret) this.#unsaved[name] = secret;
    this.#secrets[name] = secret;
    return secret;
  }

  /** Runs `work` and then writes the new secrets to disk. No other process can write the file during this time. */
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
    // the note is the first line of the file, so that a person can easily delete it
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
    throw new StartError(`another process is writing ${file} and does not finish: end that process first`);
  }
}

function makeSecret(random: Random, prefix: string): string {
  return prefix + Buffer.from(random.bytes(32)).toString('base64url');
}

/** Reads the device keys kept in `folder`, for terminals that run in another process than their gateway. */
export function readDeviceKeys(folder: string): { terminal(poiId: string): string | undefined } {
  const secrets = readSecrets(join(folder, 'credentials.json'));
  return { terminal: (poiId) => secrets[`terminal ${poiId}`] };
}

/**
 * Returns the secrets that all gateways of a database have in common. These secrets are the control token, the API
 * tokens and the device keys. The keys of the result are the names of the secrets. The key of card fingerprints is not
 * in the result, so a card has different fingerprints in different folders.
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
    // The secrets are not replaced by new secrets, because then the gateway would refuse every point of sale with an
    // old token.
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
