import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { ESTree } from 'rolldown/utils';
import { parseSync } from 'rolldown/utils';

/**
 * Parses the project's sources for the house rules about names, about functions, and about the files that use a name.
 */

const root = join(import.meta.dirname, '../..');

export const rooms = [
  'bench',
  'cli',
  'client',
  'console',
  'explore',
  'gateway',
  'leading',
  'scenarios',
  'scripts',
  'shared',
  'stack',
  'terminal-emulator',
  'test',
  'testing',
];

/** A name with the path of the file that declares it: `path name`. */
export type DeclarationKey = `${string} ${string}`;

interface Imported {
  /** The name in the file that declares it. */
  readonly name: string;
  readonly from: string;
}

export interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly program: ESTree.Program;
  /** Whether the file is a test, or is used only by tests. */
  readonly isTest: boolean;
  /** Names that this file declares and exports. */
  readonly exported: ReadonlySet<string>;
  /** Names that other files declare, and that this file exports too. */
  readonly passedOn: ReadonlyMap<string, Imported>;
  /** Other files. This file exports all names that they export. */
  readonly passedOnWhole: readonly string[];
  readonly imported: readonly Imported[];
  /** Files that are imported as one object. */
  readonly importedWhole: readonly string[];
  /** Names that are imported at run time by `import()`, when they are needed. */
  readonly loaded: readonly Imported[];
}

let parsed: ReadonlyMap<string, Source> | undefined;

/** Returns every source of the project by its path. The sources are parsed once. */
export function parseSources(): ReadonlyMap<string, Source> {
  parsed ??= new Map(
    rooms.flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
        .map((name) => `${room}/${name.replaceAll('\\', '/')}`)
        .filter((path) => /\.tsx?$/.test(path) && !path.includes('/node_modules/'))
        .map((path) => [path, parse(path)] as const),
    ),
  );
  return parsed;
}

function parse(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const { program } = parseSync(path, text);
  const target = (from: string) => (from.startsWith('.') ? normalize(join(dirname(path), from)) : from);
  const exported = new Set<string>();
  const passedOn = new Map<string, Imported>();
  const passedOnWhole: string[] = [];
  const imported: Imported[] = [];
  const importedWhole: string[] = [];
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration')
      for (const specifier of statement.specifiers) {
        if (specifier.type === 'ImportNamespaceSpecifier') importedWhole.push(target(statement.source.value));
        if (specifier.type !== 'ImportSpecifier') continue;
        imported.push({ name: nameOf(specifier.imported), from: target(statement.source.value) });
      }
    if (statement.type === 'ExportAllDeclaration') passedOnWhole.push(target(statement.source.value));
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const name of declaredNames(statement.declaration)) exported.add(name);
    for (const { local, exported: name } of statement.specifiers)
      if (statement.source)
        passedOn.set(nameOf(name), { name: nameOf(local), from: target(statement.source.value) });
  }
  const [room = ''] = path.split('/');
  const isTest = room === 'test' || /\.(test|fixture)\.tsx?$/.test(path);
  return {
    path,
    room,
    text,
    program,
    isTest,
    exported,
    passedOn,
    passedOnWhole,
    imported,
    importedWhole,
    loaded: loadedNames(path, text),
  };
}

/** Returns the names that a file imports at run time: `const { open } = await import('./open.ts')`. */
function loadedNames(path: string, text: string): Imported[] {
  const calls = text.matchAll(/(?:\{([^{}]*)\} = await )?import\('(\.[^']+)'\)(?:\)?\.(\w+))?/g);
  return Array.from(calls, ([, list, target = '', name]) =>
    (list ?? name ?? '').split(',').map((each) => ({
      name: each.trim().replace(/:.*/, ''),
      from: normalize(join(dirname(path), target)),
    })),
  ).flat();
}

function nameOf(name: ESTree.ModuleExportName): string {
  return name.type === 'Literal' ? name.value : name.name;
}

function declaredNames(declaration: ESTree.Declaration | null): string[] {
  if (!declaration) return [];
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => boundNames(id));
  return 'id' in declaration && declaration.id && 'name' in declaration.id ? [declaration.id.name] : [];
}

function boundNames(pattern: ESTree.BindingPattern): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'ObjectPattern')
    return pattern.properties.flatMap((part) =>
      boundNames(part.type === 'Property' ? part.value : part.argument),
    );
  return [];
}

/** Returns where an imported name is declared, even if another file passes the name on. */
export function declarationOf({ name, from }: Imported): DeclarationKey {
  const source = parseSources().get(from);
  if (!source || source.exported.has(name)) return `${from} ${name}`;
  const next = source.passedOn.get(name);
  if (next) return declarationOf(next);
  const [whole] = source.passedOnWhole.filter((path) => {
    const passed = parseSources().get(path);
    return passed?.exported.has(name) || passed?.passedOn.has(name);
  });
  return whole === undefined ? `${from} ${name}` : declarationOf({ name, from: whole });
}
