import type { Plugin } from 'rolldown';

/**
 * Dependencies of Express that the gateway never calls, because it reads requests and writes answers by itself. With
 * them, every start would read and run half a megabyte more. In the bundle, each of them is replaced with a module that
 * throws an error when it is called.
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
 * Packages that print messages for developers of Express. `depd` asks V8 for the line of its caller, so V8 would have
 * to count the lines of a whole file.
 */
const silenced = ['debug', 'depd'];

/**
 * A package that `ws` looks for in the folder of the bundle and in all folders above. `ws` also works without this
 * package.
 */
const notInstalled = 'bufferutil';

/** Makes a plugin that puts a small module into the bundle in place of each of these packages. */
export function leaveOutPackagesPlugin(): Plugin {
  const prefix = '\0left out: ';
  return {
    name: 'leave-out',
    resolveId: (id) => ([notInstalled, ...silenced, ...neverCalled].includes(id) ? prefix + id : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return;
      if (silenced.includes(id.slice(prefix.length))) return 'module.exports = () => () => {};';
      if (id.endsWith(notInstalled)) return 'throw new Error();';
      const message = `${id.slice(prefix.length)} is left out of the bundle by scripts/leave-out.ts`;
      return `const missing = () => { throw new Error(${JSON.stringify(message)}); };
module.exports = new Proxy(missing, { get: () => missing });`;
    },
  };
}
