import type { Plugin } from 'rolldown';

/** The forms `import { a as b } from "node:x";` and `import x from "node:x";` of the bundler. */
const nodeImport = /^import (?:([\w$]+)|\{(.*)\}) from "(node:[^"]*)";$/gm;

/**
 * In the bundle, replaces imports of Node's modules, because an import loads all that they export
 * (shared/node-http.ts).
 */
export function takeNodeModules(): Plugin {
  return {
    name: 'take-node-modules',
    renderChunk: (code) =>
      code.replaceAll(nodeImport, (_, name?: string, names?: string, module?: string) => {
        const imported = name ?? `{${names?.replaceAll(' as ', ': ')}}`;
        return `const ${imported} = globalThis.process.getBuiltinModule("${module}");`;
      }),
  };
}
