import type { Plugin } from 'rolldown';

/**
 * What Express brings and the gateway never calls, since it reads bodies and answers by itself: half a megabyte to
 * read and to run at every start. In the bundle they are what throws when it is called.
 */
const neverCalled = ['body-parser', 'mime-types', 'qs', 'send', 'serve-static'];

/** Asks for the line of who loads it, for which V8 counts those of the whole file. Nothing that is deprecated is called. */
const silenced = 'depd';

export function leaveOut(): Plugin {
  const prefix = '\0left out: ';
  return {
    name: 'leave-out',
    resolveId: (id) => (id === silenced || neverCalled.includes(id) ? prefix + id : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return;
      if (id.endsWith(silenced)) return 'module.exports = () => () => {};';
      const message = `${id.slice(prefix.length)} is not in the bundle: scripts/leave-out.ts`;
      return `const missing = () => { throw new Error(${JSON.stringify(message)}); };
module.exports = new Proxy(missing, { get: () => missing });`;
    },
  };
}
