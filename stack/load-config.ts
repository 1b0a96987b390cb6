import { createRequire } from 'node:module';
import type { Document, LineCounter } from 'yaml';
import type { z } from 'zod';
import { describeFileFault } from '../shared/file-fault.ts';
import { explainIssue, explainYamlFault, plainErrorMap } from '../shared/plain-faults.ts';
import { readUserFile } from '../shared/regular-file.ts';
import { type Config, configSchema } from './config.ts';
import { StartError } from './start-error.ts';

/**
 * Reads and checks a configuration file.
 *
 * @throws StartError that names the file and the line of each mistake, and says what is wrong and what is allowed
 */
export function loadConfig(file: string): Config {
  const text = readText(file);
  // The parser is loaded only here, because it has seventy modules and most starts read no configuration file.
  const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const { LineCounter, parseDocument } = yaml;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault) throw new StartError(`${file}:${lines.linePos(fault.pos[0]).line}: ${explainYamlFault(fault)}`);
  const checked = configSchema.safeParse(valuesIn(document, { file, lines, yaml }) ?? {}, {
    error: plainErrorMap,
  });
  if (checked.success) return checked.data;
  throw new StartError(
    checked.error.issues
      .map((issue) => `${file}:${lineOf(document, issue, lines)}: ${explain(issue)}`)
      .join('\n'),
  );
}

function readText(file: string): string {
  try {
    return readUserFile(file);
  } catch (error) {
    throw new StartError(`cannot read the configuration ${file}: ${describeFileFault(error)}`);
  }
}

interface Parsed {
  file: string;
  lines: LineCounter;
  yaml: typeof import('yaml');
}

/**
 * Returns the values of a document. Replaces the parser's error about an undefined alias, because that error shows the
 * alias. The alias may be a secret that begins with `*` and that the user forgot to put in quotes.
 */
function valuesIn(document: Document, { file, lines, yaml: { visit } }: Parsed): unknown {
  try {
    return document.toJS();
  } catch {
    let line: number | undefined;
    visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document)) return undefined;
        line = lines.linePos(alias.range?.[0] ?? 0).line;
        return visit.BREAK;
      },
    });
    if (line === undefined) throw new StartError(`${file}: its YAML aliases expand to too much data`);
    throw new StartError(
      `${file}:${line}: a text that begins with * must be in quotes; without them it is a YAML alias, and this alias is not defined`,
    );
  }
}

function lineOf(document: Document, issue: z.core.$ZodIssue, lines: LineCounter): number {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const { items = [] } = (document.getIn(path, true) ?? {}) as {
      items?: { key?: { value?: unknown; range?: [number, number, number] } }[];
    };
    const key = items.find((item) => item.key?.value === issue.keys[0])?.key;
    if (key?.range) return lines.linePos(key.range[0]).line;
  }
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function explain(issue: z.core.$ZodIssue): string {
  return `${issue.path.length > 0 ? '' : 'the file: '}${explainIssue(issue)}`;
}
