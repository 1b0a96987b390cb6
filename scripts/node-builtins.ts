import type { Plugin } from 'rolldown';

/**
 * Matches imports of Node's modules in the form that the bundler writes: `import { a as b } from "node:x";` and `import
 * x from "node:x";`.
 */
const nodeImport = /^import (?:([\w$]+)|\{(.*)\}) from "(node:[^"]*)";$/gm;

/**
 * Makes a plugin that changes how the bundle loads Node's modules: calls of `getBuiltinModule` replace the imports. An
 * import would load everything that the module exports (shared/node-http.ts).
 */
export function nodeImportsPlugin(): Plugin {
  return {
    name: 'replace-node-imports',
    renderChunk: (code) =>
      code.replaceAll(nodeImport, (_, name?: string, names?: string, module?: string) => {
        const imported = name ?? `{${names?.replaceAll(' as ', ': ')}}`;
        return `const ${imported} = globalThis.process.getBuiltinModule("${module}");`;
      }),
  };
}
