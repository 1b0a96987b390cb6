import type { Plugin } from 'rolldown';

/** What `ws` loads at once and needs for `wss:` alone, which a terminal beside its gateway never dials: 13 ms of a start. */
const neededLate = ['https', 'tls'];

/** In the bundle they are loaded when something of theirs is used. */
export function loadLate(): Plugin {
  const prefix = '\0loaded late: ';
  return {
    name: 'load-late',
    resolveId: (id, importer) =>
      neededLate.includes(id) && importer?.includes('/node_modules/ws/') ? prefix + id : undefined,
    load(id) {
      if (!id.startsWith(prefix)) return;
      const name = JSON.stringify(`node:${id.slice(prefix.length)}`);
      return `module.exports = new Proxy({}, { get: (_, key) => process.getBuiltinModule(${name})[key] });`;
    },
  };
}
