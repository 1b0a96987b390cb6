import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import {
  isClassDeclaration,
  isExportDeclaration,
  isExportSpecifier,
  isGetAccessorDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
} from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  ModifierFlags,
  type Symbol as Named,
  type Project,
  SignatureKind,
  SymbolFlags,
  type Type,
} from 'typescript/unstable/sync';

/** These functions use the compiler to read the exports of the package, and the examples in their docstrings. */

/** The project's folder, with slashes as in the compiler's paths. */
const root = join(import.meta.dirname, '..').replaceAll('\\', '/');
/** The types of the API's data, generated from the OpenAPI document. They have no functions. */
const generated = 'client/openapi-types.ts';

/**
 * Something that a user of the package can name: an export, or a member of an object that users get through an export.
 */
export interface PublicName {
  /** The name of an export, such as `startPinpad`. For a member, the name of its type comes first, as in `Pos.pay`. */
  readonly name: string;
  readonly isExport: boolean;
  /**
   * Whether this is a value at run time, not only a type. Values are functions, methods, exported constants, and
   * classes that are exported as classes.
   */
  readonly isCalled: boolean;
  /** Whether the docstring has the tag `@internal`. This tag says that only pinpad's own modules use the member. */
  readonly isInternal: boolean;
  /** The docstring without tags; empty if there is none. */
  readonly text: string;
  readonly examples: readonly string[];
}

/** Returns everything that a user of the package can name, in the order in which the compiler finds it. */
export function listPublicApi(): PublicName[] {
  const files = exportedFiles();
  return withProject({}, files, (project) => {
    const reached = new Reached(project);
    for (const file of files) reached.addExports(file);
    return reached.found;
  });
}

/** Returns the source files of the modules that package.json exports. */
function exportedFiles(): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  return Object.values(exports).flatMap((exported) =>
    typeof exported === 'string' ? [] : exported.types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts'),
  );
}

/** Compiles each of these texts as a separate module, and returns `name: message` for each mistake. */
export function findCompileErrors(modules: Readonly<Record<string, string>>): string[] {
  const file = (name: string) => `testing/of-examples/${name}.ts`;
  const files = Object.fromEntries(Object.entries(modules).map(([name, text]) => [file(name), text]));
  return withProject(files, Object.keys(files), ({ program }) =>
    Object.keys(modules).flatMap((name) => {
      const path = `${root}/${file(name)}`;
      const said = [...program.getSyntacticDiagnostics(path), ...program.getSemanticDiagnostics(path)];
      return said.map(({ text }) => `${name}: ${text}`);
    }),
  );
}

/** Opens a project with the settings of tsconfig.json. `files` exist only in memory. */
function withProject<Result>(
  files: Readonly<Record<string, string>>,
  compiled: readonly string[],
  use: (project: Project) => Result,
): Result {
  const config = `${root}/tsconfig.in-memory.json`;
  const settings = { extends: './tsconfig.json', include: [], files: compiled };
  const inMemory = new Map(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]));
  inMemory.set(config, JSON.stringify(settings));
  const known = (path: string) => inMemory.has(path) || undefined;
  const api = new API({ cwd: root, fs: { readFile: (path) => inMemory.get(path), fileExists: known } });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`the compiler does not open ${config}`);
    return use(project);
  } finally {
    api.close();
  }
}

/** Collects everything that users can reach from the exports. */
class Reached {
  readonly found: PublicName[] = [];
  readonly #project: Project;
  readonly #checker: Checker;
  readonly #names = new Set<string>();
  readonly #types = new Set<number>();

  constructor(project: Project) {
    this.#project = project;
    this.#checker = project.checker;
  }

  addExports(file: string): void {
    const source = this.#project.program.getSourceFile(`${root}/${file}`);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & SymbolFlags.Alias) !== 0;
      this.#addExport(isAlias ? this.#checker.getAliasedSymbol(exported) : exported, this.#isType(exported));
    }
  }

  /** Whether a module exports a name only as a type, as in `export type { Pos }`. */
  #isType(exported: Named): boolean {
    const node = exported.declarations[0]?.resolve(this.#project);
    if (!node || !isExportSpecifier(node)) return false;
    const list = node.parent.parent;
    return node.isTypeOnly || (isExportDeclaration(list) && list.isTypeOnly);
  }

  #addExport(symbol: Named, isType: boolean): void {
    const node = this.#ownDeclaration(symbol);
    if (!node) return;
    const isValue = !isType && (symbol.flags & SymbolFlags.Value) !== 0;
    this.#add(symbol, symbol.name, { isExport: true, isCalled: isValue });
    if ((symbol.flags & SymbolFlags.Type) !== 0) this.#walk(this.#checker.getDeclaredTypeOfSymbol(symbol));
    if (isValue) this.#walk(this.#checker.getTypeOfSymbol(symbol));
  }

  #add(symbol: Named, name: string, kind: Pick<PublicName, 'isExport' | 'isCalled'>): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    const tags = this.#checker.getJsDocTagsOfSymbol(symbol);
    const text = this.#checker.getDocumentationCommentOfSymbol(symbol).trim();
    const examples = tags.filter((tag) => tag.name === 'example').map((tag) => tag.text ?? '');
    const isInternal = tags.some((tag) => tag.name === 'internal');
    this.found.push({ name, ...kind, isInternal, text, examples });
  }

  /**
   * Adds the members of a type. Does the same for the types that this type consists of, and for the types that its
   * functions return.
   */
  #walk(type: Type | undefined): void {
    if (!type || this.#types.has(type.id)) return;
    this.#types.add(type.id);
    if (type.isUnionType() || type.isIntersectionType())
      for (const part of type.getTypes() ?? []) this.#walk(part);
    if (type.isTypeReference()) for (const each of this.#checker.getTypeArguments(type)) this.#walk(each);
    if (!type.isObjectType() && !type.isIntersectionType()) return;
    this.#walkResults(type);
    for (const member of this.#checker.getPropertiesOfType(type)) this.#addMember(member);
  }

  #walkResults(type: Type): void {
    for (const signature of this.#checker.getSignaturesOfType(type, SignatureKind.Call))
      this.#walk(this.#checker.getReturnTypeOfSignature(signature));
  }

  #addMember(member: Named): void {
    const node = this.#ownDeclaration(member);
    if (!node || !isReachable(node)) return;
    const isCalled = isMethodDeclaration(node) || isMethodSignatureDeclaration(node);
    if (isCalled || isGetAccessorDeclaration(node) || isClassDeclaration(node.parent))
      this.#add(member, namesTo(node).join('.'), { isExport: false, isCalled });
    this.#walk(this.#checker.getTypeOfSymbol(member));
  }

  /** Returns the declaration of a symbol in the project's own sources, if there is one. */
  #ownDeclaration(symbol: Named): Node | undefined {
    const node = (symbol.valueDeclaration ?? symbol.declarations[0])?.resolve(this.#project);
    if (!node) return undefined;
    const path = node.getSourceFile().fileName;
    const isOurs = path.startsWith(`${root}/`) && !path.includes('/node_modules/');
    return isOurs && !path.endsWith(generated) ? node : undefined;
  }
}

function isReachable(node: Node): boolean {
  const isPrivate = 'modifierFlags' in node && (Number(node.modifierFlags) & ModifierFlags.Private) !== 0;
  return !isPrivate && !namesTo(node).some((name) => name.startsWith('#'));
}

/**
 * Returns the names of the declarations that contain a declaration, and then the declaration's own name, for example
 * `Pinpad`, `clock`, `now`.
 */
function namesTo(node: Node): string[] {
  const around = node.parent ? namesTo(node.parent) : [];
  const { name } = node as { name?: Node };
  return name === undefined ? around : [...around, isIdentifier(name) ? name.text : name.getText()];
}
