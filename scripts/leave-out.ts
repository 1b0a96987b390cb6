import type { Plugin } from 'rolldown';

/**
 * What Express brings and the gateway never calls, since it reads requests and answers by itself: half a megabyte to
 * read and to run at every start. In the bundle they are what throws when it is called.
 */
const neverCalled = [
  ...[
    'accepts',
    'body-parser',
    'content-disposition',
    'cookie',
    'cookie-signature',
    'etag',
    'fresh',
    'mime-types',
  ],
  ...['qs', 'range-parser', 'send', 'serve-static', 'type-is', 'vary'],
];

/** Say what is deprecated, and what Express does, to its developers. The former has V8 count the lines of the whole file at once. */
const silenced = ['debug', 'depd'];

/** `ws` looks for it in all folders above, and does without. */
const notInstalled = 'bufferutil';

export function leaveOut(): Plugin {
  const prefix = '\0left out: ';
  return {
    name: 'leave-out',
    resolveId: (id) => ([notInstalled, ...silenced, ...neverCalled].includes(id) ? prefix + id : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return;
      if (silenced.includes(id.slice(prefix.length))) return 'module.exports = () => () => {};';
      if (id.endsWith(notInstalled)) return 'throw new Error();';
      const message = `${id.slice(prefix.length)} is not in the bundle: scripts/leave-out.ts`;
      return `const missing = () => { throw new Error(${JSON.stringify(message)}); };
module.exports = new Proxy(missing, { get: () => missing });`;
    },
  };
}
