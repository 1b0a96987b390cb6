import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/**
 * Modules that check and complete their data with a schema, and export the result. If these modules ran at every start,
 * they would take a tenth of the start's time.
 */
const made = [
  'gateway/saved-cards/default/test-cards.ts',
  'stack/demo-accounts.ts',
  'terminal-emulator/cards/default-cards.ts',
].map((path) => join(import.meta.dirname, '..', path));

/** Makes a plugin that runs these modules and puts the data that they export into the bundle. */
export function precomputeModulesPlugin(): Plugin {
  return {
    name: 'make-before',
    async load(id) {
      if (!made.includes(id)) return;
      const exported = Object.entries(await import(pathToFileURL(id).href));
      const data = exported.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      // The imports of JSON files are kept in the code. So the JSON files count as sources of the bundle, and a clone
      // notices a change of these files.
      const files = readFileSync(id, 'utf8').match(/^import .*\.json'.*$/gm) ?? [];
      return { code: [...files, ...data].join('\n'), moduleType: 'js' };
    },
  };
}
