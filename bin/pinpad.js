#!/usr/bin/env node
// Plain JavaScript on purpose: it must be able to say "your Node is too old" on any Node.

// This file does not import Node's modules with `import`, because `import` would load everything that a module exports
// (shared/node-http.ts). A Node without `getBuiltinModule` is too old anyway.
const { existsSync } = process.getBuiltinModule?.('node:fs') ?? {};
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const source = new URL('../cli/main.ts', import.meta.url);
const isClone = existsSync?.(source);
if (major < 22 || (major === 22 && minor < 18)) await runOnOwnNode();
else {
  const bundle = isClone ? await bundleOfClone() : 'dist';
  keepCompiled(bundle);
  const { main } = await import(bundle ? `../${bundle}/cli/main.js` : source.href);
  await main(process.argv);
}

/**
 * Runs pinpad on the Node that `npm ci` fetched for a clone (scripts/fetch-node.js). A signal that stops this process
 * also stops the process of that Node.
 */
async function runOnOwnNode() {
  const fs = await import('node:fs');
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const ownNode = fileURLToPath(new URL(`../node_modules/.bin/${program}`, import.meta.url));
  const tooOld = () => {
    const fetched = fs.existsSync(source)
      ? ', or run node scripts/fetch-node.js, with which npm fetches Node for this clone of the repository'
      : '';
    const needed = `pinpad needs Node 22.18 or newer; this is Node ${process.versions.node}`;
    console.error(fetched ? `${needed}. Install Node 24${fetched}` : `${needed}.`);
    process.exit(2);
  };
  if (!fs.existsSync(source) || !fs.existsSync(ownNode)) tooOld();
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const running = spawn(ownNode, args, { stdio: 'inherit' });
  running.once('error', tooOld); // the fetched Node was built for another kind of machine
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals)
    process.on(signal, () => {
      // A terminal window sends the signal of a key such as Ctrl-C to both processes. If this process also passed the
      // signal on, the other process would get a second signal, which would end a gateway at once.
      if (signal === 'SIGTERM' || !process.stdin.isTTY) running.kill(signal);
    });
  running.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * `npm ci` bundles a clone too (scripts/prepare.js). If a source has changed since, the sources run until a new bundle
 * has been made in the background. The sources also run if Node has options, such as those of a debugger or a watcher.
 */
async function bundleOfClone() {
  const { findFreshBundleFolder, hasNodeOptions, markBundleInUse } = await import('./clone-bundle.js');
  const bundle = hasNodeOptions() ? undefined : findFreshBundleFolder(root());
  return bundle && markBundleInUse(root(), bundle) ? bundle : undefined;
}

function root() {
  return process.getBuiltinModule('node:url').fileURLToPath(new URL('..', import.meta.url));
}

/**
 * A start consists mostly of compiling, so compiled code is kept, and the second start takes half as long. By default,
 * Node would keep compiled code in a folder in /tmp. Another user of this machine may have made that folder, and V8
 * would run the code in it. A bundle that was made in the background has the compiled code inside, so that both are
 * removed together.
 */
function keepCompiled(bundle) {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const own = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && existsSync(HOME) && `${HOME}/.cache`);
  const usual = bundle === 'dist' || !bundle ? own && `${own}/pinpad` : `${root()}${bundle}/compiled`;
  const folder = NODE_COMPILE_CACHE || usual;
  if (folder) process.getBuiltinModule('node:module').enableCompileCache(folder);
}
