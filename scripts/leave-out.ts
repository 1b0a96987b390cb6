import type { Plugin } from 'rolldown';

/**
 * What Express brings and the gateway never calls, since it reads bodies and answers by itself: half a megabyte to
 * read and to run at every start. In the bundle they are what throws when it is called.
 */
const neverCalled = ['body-parser', 'mime-types', 'qs', 'send', 'serve-static'];

export function leaveOut(): Plugin {
  const prefix = '\0left out: ';
  return {
    name: 'leave-out',
    resolveId: (id) => (neverCalled.includes(id) ? prefix + id : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return;
      const message = `${id.slice(prefix.length)} is not in the bundle: scripts/leave-out.ts`;
      return `const missing = () => { throw new Error(${JSON.stringify(message)}); };
module.exports = new Proxy(missing, { get: () => missing });`;
    },
  };
}
