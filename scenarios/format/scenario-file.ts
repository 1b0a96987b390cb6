import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { fileFaultReason } from '../../shared/file-fault.ts';
import { explainIssue, nestedTooDeeply, plainYamlFault } from '../../shared/plain-faults.ts';
import { readWritten, regularFile } from '../../shared/regular-file.ts';

/** A place in a file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** One fault of a scenario file. */
export interface FileProblem extends Place {
  readonly message: string;
}

/** A scenario file that cannot be run, with all its faults. */
export class ScenarioFileError extends Error {
  readonly faults: readonly FileProblem[];
  constructor(faults: readonly FileProblem[]) {
    super(faults.map((fault) => `${placeText(fault)}: ${fault.message}`).join('\n'));
    this.faults = faults;
  }
}

/** A YAML file that remembers the place of everything in it. */
export class ScenarioFile {
  readonly file: string;
  readonly content: unknown;
  #text: string;
  #document: Document.Parsed;
  #lines = new LineCounter();

  /**
   * @param namedAt the place where another file names this one; it is blamed if this file cannot be read
   *
   * @throws ScenarioFileError if the file cannot be read or is no YAML
   */
  constructor(file: string, namedAt?: Place) {
    this.file = file;
    this.#text = readText(file, namedAt);
    this.#document = parseDocument(this.#text, { lineCounter: this.#lines, logLevel: 'error' });
    const faults = this.#document.errors.map((error) => ({
      ...this.#at(error.pos[0]),
      message: plainYamlFault(error),
    }));
    const deep = faults.findIndex(({ message }) => message === nestedTooDeeply);
    if (deep !== -1) faults.length = deep + 1; // the thousand faults after it follow from it
    if (faults.length > 0) throw new ScenarioFileError(faults);
    try {
      this.content = contentOf(this.#document);
    } catch {
      const { offset, message } = aliasFault(this.#document);
      throw new ScenarioFileError([{ ...this.#at(offset), message }]);
    }
  }

  /** The place where the value of that path begins, or that of the nearest thing around it in the file. */
  place(path: readonly PropertyKey[]): Place {
    return this.#at(this.#rangeOf(path)?.[0] ?? 0);
  }

  /** The text of the value at that path, as written in the file. */
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

  /** Turns issues of a schema into faults at their places below `path`. */
  faults(path: readonly PropertyKey[], issues: readonly z.core.$ZodIssue[]): FileProblem[] {
    return issues.map((issue) => {
      const at = [...path, ...issue.path];
      const place = issue.code === 'unrecognized_keys' && this.#placeOfName(at, issue.keys[0]);
      return { ...(place || this.place(at)), message: explainIssue(issue) };
    });
  }

  /** The place of a field's name; undefined if the fields are not written like that in the file. */
  #placeOfName(path: readonly PropertyKey[], name: string | undefined): Place | undefined {
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

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line: Math.max(1, line), column: Math.max(1, col) };
  }
}

/** The first alias that is at fault, and its fault; aliases that cannot be resolved, or lead back, take precedence. */
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
        ? 'is an alias for something that contains it'
        : 'is an alias that is not defined; put a text that begins with * in quotes';
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

/** @throws Error even for aliases that multiply beyond measure, and for values that cannot be printed */
function contentOf(document: Document.Parsed): unknown {
  const content: unknown = document.toJS();
  JSON.stringify(content);
  return content;
}

function readText(file: string, namedAt?: Place): string {
  try {
    regularFile(file);
    return readWritten(file);
  } catch (error) {
    const message = `cannot be read: ${fileFaultReason(error)}`;
    throw new ScenarioFileError([
      namedAt ? { ...namedAt, message: `${file} ${message}` } : { file, line: 1, column: 1, message },
    ]);
  }
}
