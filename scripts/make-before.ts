import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/** Modules that export data, checked and completed by a schema: a tenth of what a start evaluates. */
const made = [
  'gateway/saved-cards/default/test-cards.ts',
  'stack/demo-accounts.ts',
  'terminal-emulator/cards/default-cards.ts',
].map((path) => join(import.meta.dirname, '..', path));

/** In the bundle stands what they come to. */
export function makeBefore(): Plugin {
  return {
    name: 'make-before',
    async load(id) {
      if (!made.includes(id)) return;
      const exported = Object.entries(await import(pathToFileURL(id).href));
      const data = exported.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      const files = readFileSync(id, 'utf8').match(/^import .*\.json'.*$/gm) ?? []; // so that a clone knows them
      return { code: [...files, ...data].join('\n'), moduleType: 'js' };
    },
  };
}
