import type { Plugin } from 'rolldown';

/**
 * Modules of Node that libraries load as soon as pinpad starts, although pinpad does not need them then. Loading them
 * takes 20 ms. pinpad does not need them because `ws` neither compresses messages nor connects to a `wss:` address
 * here, and Commander starts no program for a sub-command.
 */
const neededLate: Record<string, readonly string[]> = {
  ws: ['https', 'tls', 'zlib'],
  commander: ['node:child_process'],
};

/**
 * Makes a plugin for the bundler. With this plugin, the bundle loads each of these modules only when the module's
 * exports are used.
 */
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
