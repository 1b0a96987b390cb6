import type { Plugin } from 'rolldown';

/**
 * Dependencies of Express that the gateway never calls, because it reads requests and writes answers by itself. They
 * would be half a megabyte to read and run at every start. In the bundle, each is replaced by one that throws when
 * called.
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

/**
 * Packages that tell developers what is deprecated and what Express does. The first makes V8 count the lines of the
 * whole file at once.
 */
const silenced = ['debug', 'depd'];

/** `ws` looks for this package in all folders above, and works without it. */
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
