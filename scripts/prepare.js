// Plain JavaScript on purpose: the machine's own Node runs this file before the clone has a Node of its own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fetchNode, isNewEnough, tooOldText } from './fetch-node.js';

const nodeModules = new URL('../node_modules/', import.meta.url);

/**
 * npm runs this after `npm ci` in a clone. If this Node is too old, the clone gets one that is new enough. Then the
 * clone is bundled, because pinpad starts from the bundle in half the time. `bin/pinpad.js` runs the sources instead if
 * bundling failed, if a file has changed since then, if npm did not install the bundler, or if Node was started with
 * options.
 */
if (!isNewEnough()) process.exitCode = onFetchedNode();
else if (existsSync(new URL('rolldown', nodeModules))) await bundle();
else
  console.error(
    'pinpad: without the development dependencies, this clone of the repository runs from its sources, and the pages of the console and of traces are missing. ' +
      'npm ci --include=dev installs these dependencies.',
  );

function onFetchedNode() {
  try {
    const node = fetchNode(fileURLToPath(nodeModules));
    return spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1;
  } catch (error) {
    console.error(tooOldText(error.message));
    return 2;
  }
}

async function bundle() {
  try {
    const { rebuildDist } = await import('./bundle.ts');
    await rebuildDist();
  } catch (error) {
    console.error(`pinpad is not bundled, and starts from its sources: ${error}`);
  }
}
