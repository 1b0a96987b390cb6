import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path/posix';
import type { Plugin } from 'rolldown';

/** The chunks that are turned into scripts. Whenever pinpad starts, it runs large parts of these chunks. */
const scripts = ['command', 'stack', 'up'];

/**
 * The form of a chunk that the bundler writes: its first lines are imports such as `import { a as b } from "./x.js";`,
 * and its last line is `export { a as b };`.
 */
const parts = /^((?:(?:import|const) .*;\n)*)([\s\S]*\n)(export \{(.*)\};)\n?$/;
const importLine = /^import (?:(?:\{(.*)\}|\* as (\S+)|(\S+)) from )?".*";\n/gm;

/**
 * Makes a plugin that splits a chunk into a script and a module. The script has the chunk's code as a function, and the
 * module calls this function. V8 compiles most functions only when they are called, and Node can keep that compiled
 * code only for scripts (scripts/run-compiled.ts, docs/decisions/0011).
 */
export function scriptChunksPlugin(): Plugin {
  return {
    name: 'as-scripts',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !scripts.includes(chunk.name)) continue;
        const { file, module, script } = divide(chunk.name, chunk.code);
        chunk.code = module;
        this.emitFile({ type: 'asset', fileName: join(dirname(chunk.fileName), file), source: script });
      }
    },
  };
}

/**
 * Splits a chunk's code. The script's name contains a hash of the script, because the compiled code is stored under
 * this name.
 */
function divide(name: string, code: string): { file: string; module: string; script: string } {
  const found = parts.exec(code);
  if (!found) throw new Error(`${name} does not have the form in which the bundler writes chunks`);
  const [, head = '', body = '', exportStatement = '', exported = ''] = found;
  const imports = [...head.matchAll(importLine)];
  const given = imports
    .flatMap(([, names, namespace, name]) => names?.split(',') ?? namespace ?? name ?? [])
    .map((each) => each.trim().split(' as ').at(-1));
  const made = exported.split(',').map((each) => each.trim().split(' as ')[0]);
  const changing = made.filter((each) => new RegExp(`^let .*\\b${each}\\b`, 'm').test(body));
  if (changing.length > 0)
    throw new Error(`${name} must not export variables that may change: ${changing.join(', ')}`);
  const ownLoading = body
    .replaceAll(/\bimport\.meta\b/g, '__meta') // a script has neither `import.meta` nor `import()`
    .replaceAll(/\bimport\((?=")/g, '__import(');
  const script = [
    `(function (${['__meta', '__import', ...given].join(', ')}) {\n"use strict";\n`,
    `${head.replaceAll(importLine, '')}${ownLoading}return { ${made.join(', ')} };\n})`,
  ].join('');
  const file = `${name}-${createHash('sha256').update(script).digest('hex').slice(0, 12)}.script.js`;
  const module = [
    ...imports.map(([line]) => line),
    'import { runCompiled } from "../scripts/run-compiled.js";\n',
    `const { ${made.join(', ')} } = runCompiled(\`\${import.meta.dirname}/${file}\`, [\n`,
    `${['import.meta', '(file) => import(file)', ...given].join(', ')}\n]);\n`,
    exportStatement,
  ].join('');
  return { file, module, script };
}
