import { join } from 'node:path';
import type { Plugin } from 'rolldown';

const root = join(import.meta.dirname, '..');

/**
 * The chunks, each with entry points. A module belongs to the first chunk whose entry points all import the module,
 * directly or through other modules.
 */
const chunks = {
  client: ['client/index', 'stack/index'],
  sqlite: ['shared/database/sqlite-worker', 'stack/index'],
  basics: ['cli/main', 'stack/index'],
  sale: ['cli/pay', 'stack/index'],
  stack: ['stack/index'],
  command: ['cli/main'],
  up: ['cli/up'],
};

/**
 * Groups modules into chunks for the bundler. Modules that are loaded together are in one chunk, because each file
 * takes half a millisecond to find, read and link. Programs do not load chunks that they do not need; for example, a
 * thread loads no chunk of the gateway. Also returns the plugin that finds which modules import which.
 */
export function makeChunkGroups() {
  const imported = new Map<string, readonly string[]>();
  const noteImports: Plugin = {
    name: 'note-imports',
    buildEnd() {
      for (const id of this.getModuleIds()) imported.set(id, this.getModuleInfo(id)?.importedIds ?? []);
    },
  };
  const lists = Object.entries(chunks);
  const groups = lists.map(([name, entries], index) => {
    let used: Set<string>[] | undefined;
    const test = (id: string) => {
      used ??= entries.map((entry) => withImports(entry, imported));
      return used.every((modules) => modules.has(id));
    };
    return { name, test, priority: lists.length - index };
  });
  return { noteImports, groups };
}

function withImports(entry: string, imported: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([join(root, `${entry}.ts`)]);
  // The loop also visits the modules that are added to `found` during the loop.
  for (const id of found) for (const each of imported.get(id) ?? []) found.add(each);
  return found;
}
