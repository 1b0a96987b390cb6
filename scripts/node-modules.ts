import type { Plugin } from 'rolldown';

/** `import { a as b } from "node:x";` and `import x from "node:x";` as the bundler writes them. */
const nodeImport = /^import (?:([\w$]+)|\{(.*)\}) from "(node:[^"]*)";$/gm;

/** In the bundle Node's modules are not imported: that would load all that they export (shared/node-http.ts). */
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
