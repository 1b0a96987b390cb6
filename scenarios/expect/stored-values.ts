import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Document, isMap, isScalar, parseDocument, stringify } from 'yaml';
import { statRegularFile } from '../../shared/regular-file.ts';
import { replaceFile } from '../../shared/replace-file.ts';
import { ScenarioError } from '../environment/scenario-context.ts';
import { fillFittingMatchers, fitsStored, keepStoredMatchers } from './fits-stored.ts';
import { diffLines } from './line-diff.ts';
import { type Mismatch, ValueMatcher } from './match.ts';

const yamlStyle = { lineWidth: 0, blockQuote: 'literal' } as const;

/** The stored values of a scenario, in a file beside the scenario: `sale.stored.yaml` beside `sale.yaml`. */
export class StoredValues {
  readonly file: string;
  readonly #mode: StoredValuesMode;
  readonly #stored: Record<string, unknown>;
  readonly #seen = new Map<string, unknown>();

  /** @throws ScenarioError if the file cannot be read */
  constructor(scenarioFile: string, mode: StoredValuesMode) {
    this.file = scenarioFile.replace(/\.ya?ml$/, '.stored.yaml');
    this.#mode = mode;
    this.#stored = (readDocument(this.file)?.toJS() ?? {}) as Record<string, unknown>;
  }

  /** Returns an expectation in which every `{ stored: NAME }` is replaced by a comparison with the stored value. */
  resolved<Expected>(wish: Expected): Expected {
    return this.#resolve(wish) as Expected;
  }

  /**
   * Writes the actual values that differ from the stored values, and removes names that are not in `used`. Returns
   * the file if anything was written.
   *
   * @throws StartError if the file cannot be written. In this case, the stored values do not change
   */
  save(used?: readonly string[]): string | undefined {
    if (this.#seen.size === 0) return undefined;
    const changed = [...this.#seen].filter(([name, seen]) => !fitsStored(this.#stored[name], seen));
    const useless = Object.keys(this.#stored).filter((name) => used?.includes(name) === false);
    if (changed.length === 0 && useless.length === 0) return undefined;
    const document = readDocument(this.file) ?? newDocument(this.file);
    for (const [name, seen] of changed) document.set(name, keepStoredMatchers(this.#stored[name], seen));
    for (const name of useless) drop(document, name);
    replaceFile(this.file, document.toString(yamlStyle));
    return this.file;
  }

  #resolve(wish: unknown): unknown {
    if (Array.isArray(wish)) return wish.map((one) => this.#resolve(one));
    if (!wish || typeof wish !== 'object') return wish;
    const stored = storedNameOf(wish);
    if (stored !== undefined)
      return new StoredComparison((actual, path) => this.#compare(stored, actual, path));
    return Object.fromEntries(Object.entries(wish).map(([field, one]) => [field, this.#resolve(one)]));
  }

  #compare(name: string, given: unknown, path: string): Mismatch[] {
    const actual = given === undefined ? undefined : JSON.parse(JSON.stringify(given));
    if (actual === undefined) return [{ path, expected: 'something there', actual }];
    this.#seen.set(name, actual);
    if (this.#mode !== 'compare') return [];
    const stored = this.#stored[name];
    if (Object.hasOwn(this.#stored, name) && fitsStored(stored, actual)) return [];
    const there = Object.hasOwn(this.#stored, name);
    const what = there ? `differs from the stored value "${name}"` : `there is no stored value "${name}" yet`;
    const change = diffLines(there ? textOf(fillFittingMatchers(stored, actual)) : '', textOf(actual));
    const text = `${path}: ${what} in ${this.file}; "pinpad run --update" stores this value:\n${change}`;
    return [{ path, expected: name, actual, text }];
  }
}

/** Returns the name in `{ stored: NAME }`; undefined for any other object. */
export function storedNameOf(wish: object): string | undefined {
  const { stored, ...rest } = wish as Record<string, unknown>;
  return typeof stored === 'string' && Object.keys(rest).length === 0 ? stored : undefined;
}

/**
 * How a run treats stored values. `update` replaces them with the actual values. `ignore` does not compare them,
 * because the values were stored in a run with another seed.
 */
export type StoredValuesMode = 'compare' | 'update' | 'ignore';

class StoredComparison extends ValueMatcher {
  readonly differences: (actual: unknown, path: string) => Mismatch[];
  constructor(differences: (actual: unknown, path: string) => Mismatch[]) {
    super();
    this.differences = differences;
  }
}

/** @throws ScenarioError if the file cannot be read, or is not a map of names */
function readDocument(file: string): Document | undefined {
  const refuse = (why: string) => new ScenarioError(`${file} cannot be read: ${why}`);
  try {
    if (!statRegularFile(file)) return undefined;
    const document = parseDocument(readFileSync(file, 'utf8'));
    const [error] = document.errors;
    if (error) throw error;
    document.toJS(); // this throws an error if an alias has no anchor; no other check notices such an alias
    if (document.contents === null) return undefined;
    if (isMap(document.contents)) return document;
  } catch (error) {
    throw refuse((error as Error).message.trim());
  }
  throw refuse('the file must map each name to a value, like the files that "pinpad run --update" writes');
}

/**
 * Removes a name, and the comment directly above the name. A comment at the head of the file stays if an empty line
 * follows it.
 */
function drop(document: Document, name: string): void {
  const [first] = isMap(document.contents) ? document.contents.items : [];
  if (isScalar(first?.key) && first.key.value === name) {
    const [, head] = /^(.*)\n\n/s.exec(first.key.commentBefore ?? '') ?? [];
    document.commentBefore ??= head ?? null;
  }
  document.delete(name);
}

function newDocument(file: string): Document {
  const document = new Document({});
  const scenario = basename(file).replace('.stored.yaml', '');
  document.commentBefore = ` The stored values of the scenario ${scenario}, which "pinpad run --update" writes.\n You can replace a value by a matcher; an update keeps the matcher if it matches the actual value.`;
  return document;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : stringify(value, yamlStyle).trimEnd();
}
