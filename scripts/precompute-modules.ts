import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/**
 * Modules that export data which a schema checks and completes. If every start did that, it would take a tenth of the
 * start's time.
 */
const made = [
  'gateway/saved-cards/default/test-cards.ts',
  'stack/demo-accounts.ts',
  'terminal-emulator/cards/default-cards.ts',
].map((path) => join(import.meta.dirname, '..', path));

/** Makes a plugin that puts the resulting data of these modules into the bundle. */
export function precomputeModulesPlugin(): Plugin {
  return {
    name: 'make-before',
    async load(id) {
      if (!made.includes(id)) return;
      const exported = Object.entries(await import(pathToFileURL(id).href));
      const data = exported.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      // Notes these files, so that a clone notices when they change.
      const files = readFileSync(id, 'utf8').match(/^import .*\.json'.*$/gm) ?? [];
      return { code: [...files, ...data].join('\n'), moduleType: 'js' };
    },
  };
}
