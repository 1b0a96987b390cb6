import { basename } from 'node:path';
import type { Plugin } from 'rolldown';

/** The chunks of which a start runs much. */
const scripts = ['command', 'stack', 'up'];

/** A chunk as the bundler writes it: `import { a as b } from "./x.js";` lines among others, and `export { a as b };`. */
const parts = /^((?:(?:import|const) .*;\n)*)([\s\S]*\n)(export \{(.*)\};)\n?$/;
const importLine = /^import (?:(?:\{(.*)\}|\* as (\S+)|(\S+)) from )?".*";\n/gm;

/**
 * Makes a function of what stands in a chunk, in a script beside it, and of the chunk a module that calls it: what V8
 * compiles later than when a file is loaded can be kept of scripts alone (scripts/run-compiled.ts, docs/decisions/0011).
 */
export function asScripts(): Plugin {
  return {
    name: 'as-scripts',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !scripts.includes(chunk.name)) continue;
        const fileName = chunk.fileName.replace(/js$/, 'script.js');
        const { module, script } = divide(chunk.code, basename(fileName));
        chunk.code = module;
        this.emitFile({ type: 'asset', fileName, source: script });
      }
    },
  };
}

function divide(code: string, file: string): { module: string; script: string } {
  const [, head = '', body = '', exportStatement = '', exported = ''] = parts.exec(code) ?? [];
  const imports = [...head.matchAll(importLine)];
  const given = imports
    .flatMap(([, names, namespace, name]) => names?.split(',') ?? namespace ?? name ?? [])
    .map((each) => each.trim().split(' as ').at(-1));
  const made = exported.split(',').map((each) => each.trim().split(' as ')[0]);
  const changing = made.filter((name) => new RegExp(`^let .*\\b${name}\\b`, 'm').test(body));
  if (changing.length > 0) throw new Error(`${file} exports what may change: ${changing.join(', ')}`);
  const ownLoading = body
    .replaceAll(/\bimport\.meta\b/g, '__meta') // a script has neither
    .replaceAll(/\bimport\((?=")/g, '__import(');
  const module = [
    ...imports.map(([line]) => line),
    'import { runCompiled } from "../scripts/run-compiled.js";\n',
    `const { ${made.join(', ')} } = runCompiled(\`\${import.meta.dirname}/${file}\`, [\n`,
    `${['import.meta', '(file) => import(file)', ...given].join(', ')}\n]);\n`,
    exportStatement,
  ].join('');
  const script = [
    `(function (${['__meta', '__import', ...given].join(', ')}) {\n"use strict";\n`,
    `${head.replaceAll(importLine, '')}${ownLoading}return { ${made.join(', ')} };\n})`,
  ].join('');
  return { module, script };
}
