import type { Plugin } from 'rolldown';

/**
 * Modules of Node that libraries load at once and a start does not need, 20 ms of it: `ws` compresses nothing and dials no `wss:`
 * beside its gateway, and no sub-command is a program of its own.
 */
const neededLate: Record<string, readonly string[]> = {
  ws: ['https', 'tls', 'zlib'],
  commander: ['node:child_process'],
};

/** In the bundle they are loaded when something of theirs is used. */
export function loadLate(): Plugin {
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
