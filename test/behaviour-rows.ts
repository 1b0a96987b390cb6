import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the rows of docs/behaviour.md, and finds where the project cites them. */

const root = join(import.meta.dirname, '..');
const folders = [
  'bench',
  'bin',
  'cli',
  'client',
  'console',
  'docs',
  'examples',
  'explore',
  'leading',
  'gateway',
  'scenarios',
  'scripts',
  'shared',
  'stack',
  'terminal-emulator',
  'test',
  'testing',
];
const page = 'docs/behaviour.md';

export interface BehaviourRow {
  id: string;
  /** The origin of the rule. */
  whose: string;
}

export interface TextFile {
  path: string;
  text: string;
}

/** Returns every line of the page's tables except headings. If a line has no id or no origin, that part is empty. */
export function behaviourRows(): BehaviourRow[] {
  return readFileSync(join(root, page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|( # |---)/.test(line))
    .map((line) => {
      const [, id = '', whose = ''] = /^\| (B\d+) \| .+ \| .+ \| ([^|]+) \|$/.exec(line) ?? [];
      return { id, whose };
    });
}

/** Returns every text file of the project. */
export function projectTexts(): TextFile[] {
  const inFolders = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return [...inFolders, ...readdirSync(root)]
    .filter((path) => /\.(tsx?|js|md|ya?ml|json|py|sh)$/.test(path))
    .filter((path) => !path.includes('node_modules/') && path !== 'package-lock.json')
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Returns the rows that a text cites, as (B1), (B1, B2), (B1–B4) or (B1: why). */
export function citedRows(text: string): string[] {
  const groups = text.match(/(?<=\()B\d+(?:(?:, |–)B\d+)*(?=[):;])/g) ?? [];
  return groups
    .flatMap((group) => group.split(', '))
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('–').map((id) => Number(id.slice(1)));
      return Array.from({ length: last - first + 1 }, (_, index) => `B${first + index}`);
    });
}

/** Whether a file is a test, a scenario or the description of an endpoint. */
export function showsBehaviour({ path, text }: TextFile): boolean {
  if (path.endsWith('.test.ts') || /^scenarios\/library\/.*\.yaml$/.test(path)) return true;
  return path.startsWith('gateway/') && !path.endsWith('.fixture.ts') && text.includes('endpoint({');
}
