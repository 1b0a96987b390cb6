// Plain JavaScript on purpose: without what a clone brings, this runs on whichever Node is there.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fetchNode, isNewEnough, tooOld } from './fetch-node.js';

const nodeModules = new URL('../node_modules/', import.meta.url);

/**
 * npm runs this after `npm ci` in a clone, which gets the Node it needs where this one is too old. Bundled, it starts in half
 * the time. Where that fails, or a file has changed since, `bin/pinpad.js` runs the sources, as it does where npm left out
 * what bundles them.
 */
if (!isNewEnough()) process.exitCode = onFetchedNode();
else if (existsSync(new URL('rolldown', nodeModules))) await bundle();
else
  console.error(
    'pinpad: without the development dependencies this clone runs from its sources, and has neither the bundle nor the ' +
      'pages of console and traces: npm ci --include=dev',
  );

function onFetchedNode() {
  try {
    const node = fetchNode(fileURLToPath(nodeModules));
    return spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1;
  } catch (error) {
    console.error(tooOld(error.message));
    return 2;
  }
}

async function bundle() {
  try {
    const { bundleAnew } = await import('./bundle.ts');
    await bundleAnew();
  } catch (error) {
    console.error(`pinpad is not bundled, and starts from its sources: ${error}`);
  }
}
