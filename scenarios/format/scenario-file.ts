import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { describeFileFault } from '../../shared/file-fault.ts';
import { explainIssue, explainYamlFault, nestedTooDeeplyMessage } from '../../shared/plain-faults.ts';
import { readUserFile, statRegularFile } from '../../shared/regular-file.ts';

/** A place in a file. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function describePlace({ file, line, column }: FilePlace): string {
  return `${file}:${line}:${column}`;
}

/** A mistake in a scenario file. */
export interface FileProblem extends FilePlace {
  readonly message: string;
}

/** The error for a scenario file that cannot be run. It contains all mistakes in the file. */
export class ScenarioFileError extends Error {
  readonly faults: readonly FileProblem[];
  constructor(faults: readonly FileProblem[]) {
    super(faults.map((fault) => `${describePlace(fault)}: ${fault.message}`).join('\n'));
    this.faults = faults;
  }
}

/** A YAML file, with the place of each of its values in the file. */
export class ScenarioFile {
  readonly file: string;
  readonly content: unknown;
  #text: string;
  #document: Document.Parsed;
  #lines = new LineCounter();

  /**
   * @param namedAt the place at which another file names this file. If this file cannot be read, the error refers to
   * that place.
   *
   * @throws ScenarioFileError if the file cannot be read, or is not YAML
   */
  constructor(file: string, namedAt?: FilePlace) {
    this.file = file;
    this.#text = readText(file, namedAt);
    this.#document = parseDocument(this.#text, { lineCounter: this.#lines, logLevel: 'error' });
    const faults = this.#document.errors.map((error) => ({
      ...this.#at(error.pos[0]),
      message: explainYamlFault(error),
    }));
    const deep = faults.findIndex(({ message }) => message === nestedTooDeeplyMessage);
    // Too deep nesting causes the many mistakes after it, so those are left out.
    if (deep !== -1) faults.length = deep + 1;
    if (faults.length > 0) throw new ScenarioFileError(faults);
    try {
      this.content = contentOf(this.#document);
    } catch {
      const { offset, message } = aliasFault(this.#document);
      throw new ScenarioFileError([{ ...this.#at(offset), message }]);
    }
  }

  /**
   * Returns the place where the value at this path begins. If there is no such value, returns the place of the
   * innermost value that would contain it.
   */
  place(path: readonly PropertyKey[]): FilePlace {
    return this.#at(this.#rangeOf(path)?.[0] ?? 0);
  }

  /** Returns the text of the value at this path, as it is written in the file. */
  text(path: readonly PropertyKey[]): string {
    const range = this.#rangeOf(path);
    if (!range) return '';
    const { column } = this.#at(range[0]);
    const indent = new RegExp(`^ {1,${column - 1}}`, 'gm');
    return this.#text.slice(range[0], range[1]).trimEnd().replaceAll(indent, '');
  }

  fault(path: readonly PropertyKey[], message: string): FileProblem {
    return { ...this.place(path), message };
  }

  /** Turns the issues that a schema reports into mistakes. The paths of the issues are relative to `path`. */
  faults(path: readonly PropertyKey[], issues: readonly z.core.$ZodIssue[]): FileProblem[] {
    return issues.map((issue) => {
      const at = [...path, ...issue.path];
      const place = issue.code === 'unrecognized_keys' && this.#placeOfName(at, issue.keys[0]);
      return { ...(place || this.place(at)), message: explainIssue(issue) };
    });
  }

  /** Returns the place of a field's name. Undefined if the file has no field with this name at this path. */
  #placeOfName(path: readonly PropertyKey[], name: string | undefined): FilePlace | undefined {
    const fields = this.#document.getIn(path, true);
    const key = isMap(fields) && fields.items.find(({ key }) => isScalar(key) && key.value === name)?.key;
    return isNode(key) && key.range ? this.#at(key.range[0]) : undefined;
  }

  #rangeOf(path: readonly PropertyKey[]): [number, number] | undefined {
    for (let depth = path.length; depth >= 0; depth--) {
      const node = this.#document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return [node.range[0], node.range[1]];
    }
    return undefined;
  }

  #at(offset: number): FilePlace {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line: Math.max(1, line), column: Math.max(1, col) };
  }
}

/**
 * Returns the place of the first alias that has no anchor or stands inside its own anchor, and a message about the
 * alias. If there is no such alias, the cause is too much data or too deep nesting, and the place is that of the first
 * alias.
 */
function aliasFault(document: Document.Parsed): { offset: number; message: string } {
  const anchors = new Map<string, unknown>();
  let first: number | undefined;
  let fault: { offset: number; message: string } | undefined;
  visit(document, {
    Node(_, node, around) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return undefined;
      }
      const offset = node.range?.[0] ?? 0;
      first ??= offset;
      const target = anchors.get(node.source);
      if (target && !around.includes(target as (typeof around)[number])) return undefined;
      const why = target
        ? 'is an alias for a value that contains this alias'
        : 'is an alias that is not defined: put a text that begins with * in quotes';
      fault = { offset, message: `*${node.source} ${why}` };
      return visit.BREAK;
    },
  });
  return (
    fault ?? {
      offset: first ?? 0,
      message: 'aliases (*name) expand to too much data, or values are nested too deeply',
    }
  );
}

/**
 * @throws Error for wrong aliases, for aliases that expand to too much content, and for values that JSON cannot
 * express
 */
function contentOf(document: Document.Parsed): unknown {
  const content: unknown = document.toJS();
  JSON.stringify(content);
  return content;
}

function readText(file: string, namedAt?: FilePlace): string {
  try {
    statRegularFile(file);
    return readUserFile(file);
  } catch (error) {
    const message = `cannot be read: ${describeFileFault(error)}`;
    throw new ScenarioFileError([
      namedAt ? { ...namedAt, message: `${file} ${message}` } : { file, line: 1, column: 1, message },
    ]);
  }
}
