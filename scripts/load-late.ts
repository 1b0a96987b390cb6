import type { Plugin } from 'rolldown';

/**
 * Modules of Node that libraries load at once, although a start does not need them. Loading them takes 20 ms. `ws`
 * neither compresses messages nor connects to a `wss:` address here, and no sub-command is a program of its own.
 */
const neededLate: Record<string, readonly string[]> = {
  ws: ['https', 'tls', 'zlib'],
  commander: ['node:child_process'],
};

/** Makes a plugin for the bundle. With it, these modules are loaded only when something of them is used. */
export function lateLoadingPlugin(): Plugin {
  const prefix = '\0loaded late: ';
  return {
    name: 'load-late',
    resolveId(id, importer) {
      const isLate = ([name, late]: [string, readonly string[]]) =>
        importer?.includes(`/node_modules/${name}/`) && late.includes(id);
      return Object.entries(neededLate).some(isLate) ? prefix + id : undefined;
    },
    load(id) {
      if (!id.startsWith(prefix)) return;
      const name = JSON.stringify(`node:${id.slice(prefix.length).replace('node:', '')}`);
      return `module.exports = new Proxy({}, { get: (_, key) => process.getBuiltinModule(${name})[key] });`;
    },
  };
}
