import { globSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isScenarioFile } from '../../scenarios/index.ts';
import { findShippedScenariosFolder } from '../run/selection.ts';
import type { ScenarioReader } from './scenario-reader.ts';
import type { ListedScenario } from './scenario-worker.ts';

/** A file of scenarios as it was when it was last read. */
interface ReadFile {
  readonly file: string;
  readonly scenarios: readonly ListedScenario[];
  /** The reason why the file has no scenarios. */
  readonly problem?: string;
}

/** The size of the largest file that is read. A file with a thousand steps is a tenth as large. */
const largestBytes = 1_000_000;

/**
 * Lists the scenarios in the folder `scenarios/` of the current folder, and those that come with pinpad. A file is read
 * again only when it changes.
 */
export class ScenarioFileLister {
  #reader: ScenarioReader;
  #known = new Map<string, { version: string; read: Promise<ReadFile> }>();

  constructor(reader: ScenarioReader) {
    this.#reader = reader;
  }

  async read(): Promise<readonly ReadFile[]> {
    const files = [
      ...ownFiles(),
      ...globSync(`${findShippedScenariosFolder()}/**/*.yaml`).filter(isScenarioFile).sort(),
    ];
    const read = await Promise.all(files.map((file) => this.#read(file)));
    for (const file of this.#known.keys()) if (!files.includes(file)) this.#known.delete(file);
    return read;
  }

  async #read(file: string): Promise<ReadFile> {
    const found = await stat(file).catch((error: Error) => error);
    if (found instanceof Error)
      return { file, scenarios: [], problem: `the file cannot be read: ${found.message}` };
    // reading a pipe may never end
    if (!found.isFile()) return { file, scenarios: [], problem: 'the file is not a regular file' };
    if (found.size > largestBytes) return { file, scenarios: [], problem: tooLarge(file, found.size) };
    const version = `${found.mtimeMs} ${found.size}`;
    const known = this.#known.get(file);
    if (known?.version === version) return known.read;
    const read = this.#reader.list(file).then(
      (scenarios) => ({ file, scenarios }),
      (error: Error) => ({ file, scenarios: [], problem: error.message }),
    );
    this.#known.set(file, { version, read });
    return read;
  }
}

function ownFiles(): string[] {
  const shipped = resolve(findShippedScenariosFolder());
  return globSync('scenarios/**/*.{yaml,yml}')
    .filter((file) => isScenarioFile(file) && !resolve(file).startsWith(shipped))
    .sort();
}

function tooLarge(file: string, bytes: number): string {
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `the file has ${size}, but the console reads at most 1 MB: run the file with pinpad run ${file}`;
}
